import { X509Certificate as OpenSslCertificate } from 'node:crypto';
import { X509Certificate } from '@sigstore/core';
import { extensionsOf, KEY_PURPOSE, type Extension, type Node } from './extensions.ts';
import { Refused } from './refused.ts';

/** CertificateSigner is whom a signing certificate was given to, and who vouched for that sign-in; null where it does not say. */
export interface CertificateSigner {
  readonly identity: string;
  readonly issuer: string | null;
}

const SUBJECT_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const ISSUER = '1.3.6.1.4.1.57264.1.8';
/** The issuer as older certificates have it: bare text, no ASN.1. */
const ISSUER_V1 = '1.3.6.1.4.1.57264.1.1';
/** The `otherName` of Fulcio for user names that are neither an address nor a URI. */
const USER_NAME = '1.3.6.1.4.1.57264.1.7';
/** Critical extensions that are heeded: key usage, its purpose, constraints, the subject's name. */
const HEEDED = ['2.5.29.15', KEY_PURPOSE.oid, BASIC_CONSTRAINTS, SUBJECT_NAME];

/**
 * readSigner reads the identity out of a signing certificate, as sigstore's Go libraries do: exactly one name, taken as the bytes stand, a
 * certificate for signing code that is not an authority, no critical extension that is not known, none twice. Whether to believe it is the
 * verifier's to say. Throws Refused.
 */
export function readSigner(der: Uint8Array): CertificateSigner {
  try {
    return read(Buffer.from(der));
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused('certificate', 'the signing certificate cannot be read');
  }
}

function read(der: Buffer<ArrayBuffer>): CertificateSigner {
  const certificate = X509Certificate.parse(der);
  void new OpenSslCertificate(der); // throws where OpenSSL cannot read it
  const byOid = new Map<string, Extension>();
  for (const extension of extensionsOf(certificate)) {
    if (byOid.has(extension.oid)) throw refused(`has the extension ${extension.oid} twice`);
    if (extension.critical && !HEEDED.includes(extension.oid))
      throw refused(`has the critical extension ${extension.oid}, which is not known`);
    byOid.set(extension.oid, extension);
  }
  if (byOid.get(BASIC_CONSTRAINTS)?.value.subs[0]?.subs[0]?.toBoolean() === true)
    throw refused('is that of a certificate authority');
  const purpose = byOid.get(KEY_PURPOSE.oid);
  if (purpose === undefined || !KEY_PURPOSE.signsCode(purpose)) throw refused('is not for signing code');
  return { identity: identityOf(byOid.get(SUBJECT_NAME)), issuer: issuerOf(byOid) };
}

function identityOf(extension: Extension | undefined): string {
  const names = extension?.value.subs[0]?.subs ?? [];
  const [name] = names;
  if (name === undefined || names.length !== 1)
    throw refused(`has ${names.length} subject names, one is needed`);
  if (name.tag.isContextSpecific(1) || name.tag.isContextSpecific(6)) return plain(name.value);
  if (name.tag.isContextSpecific(0) && name.subs[0]?.toOID() === USER_NAME)
    return text(only(name.subs[1])?.value ?? Buffer.alloc(0));
  throw refused('has a subject name that is not an address, a URI or a user name');
}

function issuerOf(byOid: ReadonlyMap<string, Extension>): string | null {
  const current = byOid.get(ISSUER);
  if (current !== undefined) {
    const value = only(current.value);
    if (value?.tag.isUniversal() !== true || value.tag.number !== UTF8_STRING)
      throw refused('has a malformed issuer');
    return text(value.value);
  }
  const old = byOid.get(ISSUER_V1);
  return old === undefined ? null : text(old.value.value);
}

const UTF8_STRING = 0x0c;

function only(node: Node | undefined): Node | undefined {
  return node?.subs.length === 1 ? node.subs[0] : undefined;
}

/** An IA5String; a byte over 127 must not pass for the one that it would be with its first bit cut off. */
function plain(bytes: Buffer): string {
  if (bytes.some((byte) => byte > 0x7f)) throw refused('has a subject name that is not ASCII');
  return text(bytes);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function text(bytes: Buffer): string {
  const value = decoder.decode(bytes);
  if (value === '' || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) throw refused('has an empty or unprintable name');
  return value;
}

function refused(fault: string): Refused {
  return new Refused('certificate', `the signing certificate ${fault}`);
}
