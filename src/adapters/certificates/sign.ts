import { createHash, createPublicKey, generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  Certificate,
  Extension,
  Extensions,
  id_ce_authorityKeyIdentifier,
  id_ce_subjectKeyIdentifier,
  KeyIdentifier,
  Name,
  RelativeDistinguishedName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

const COMMON_NAME = '2.5.4.3';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/** A clock that runs behind takes a certificate that was made just now. */
const EARLIER_MS = 5 * 60_000;

/** Life is how long a certificate holds, in milliseconds. */
export interface Life {
  readonly from: number;
  readonly to: number;
}

/** Signer is what signs a certificate: its own key, or an authority's. */
export interface Signer {
  readonly name: string;
  readonly key: KeyObject;
}

/** makeKey makes a key on the curve P-256, which every API server takes. */
export async function makeKey(): Promise<KeyObject> {
  return (await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })).privateKey;
}

/**
 * signCertificate makes a certificate of version 3 with the extensions given, beside the identifiers of its own key and of its
 * signer's, by which a verifier tells authorities of like names apart. Gives PEM.
 */
export function signCertificate(of: {
  readonly name: string;
  readonly key: KeyObject;
  readonly signer: Signer;
  readonly life: Life;
  readonly extensions: readonly Extension[];
}): string {
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const own = publicKey(of.key);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: named(of.signer.name),
    validity: new Validity({
      notBefore: new Date(of.life.from - EARLIER_MS),
      notAfter: new Date(of.life.to),
    }),
    subject: named(of.name),
    subjectPublicKeyInfo: own,
    extensions: new Extensions([
      ...of.extensions,
      extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdentifier(own))),
      extension(
        id_ce_authorityKeyIdentifier,
        false,
        new AuthorityKeyIdentifier({
          keyIdentifier: new KeyIdentifier(keyIdentifier(publicKey(of.signer.key))),
        }),
      ),
    ]),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), of.signer.key);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: bytesOf(signature),
  });
  return toPem('CERTIFICATE', Buffer.from(AsnConvert.serialize(certificate)));
}

/** extension wraps a value as an extension of a certificate. */
export function extension(extnID: string, critical: boolean, value: object): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function publicKey(key: KeyObject): SubjectPublicKeyInfo {
  const der = createPublicKey(key.export({ type: 'pkcs8', format: 'pem' })).export({
    type: 'spki',
    format: 'der',
  });
  return AsnConvert.parse(der, SubjectPublicKeyInfo);
}

/** The first way of RFC 5280, 4.2.1.2. */
function keyIdentifier({ subjectPublicKey }: SubjectPublicKeyInfo): ArrayBuffer {
  return bytesOf(createHash('sha1').update(Buffer.from(subjectPublicKey)).digest());
}

function named(name: string): Name {
  const value = new AttributeValue({ utf8String: name });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

/** Positive, not zero, at most 20 octets. */
function serialNumber(): ArrayBuffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytesOf(bytes);
}

function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}
