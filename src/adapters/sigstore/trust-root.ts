import { X509Certificate } from '@sigstore/core';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, type TrustMaterial } from '@sigstore/verify';
import { sha256Hex, JsonKeyError, parseStrictJson } from '../../base/index.ts';
import { extensionsOf, KEY_PURPOSE } from './extensions.ts';
import { SigstoreError } from './sigstore-error.ts';
import { faultOfRoot } from './trust-validity.ts';

/** MAX_TRUST_ROOT_BYTES bounds a trust root; the public one has 7 kB. */
export const MAX_TRUST_ROOT_BYTES = 4 * 1024 * 1024;

/** TrustRoot is whom keyless signatures are verified against: certificate authorities, logs and timestamp authorities. */
export interface TrustRoot {
  /** Hex SHA-256 of the document, by which two are told apart. */
  readonly id: string;
  readonly material: TrustMaterial;
}

const MEDIA_TYPE = /^application\/vnd\.dev\.sigstore\.trustedroot(\+json;version=0\.[12]|\.v0\.[12]\+json)$/;

/**
 * parseTrustRoot reads a `trusted_root.json`. A root whose authorities carry limits that the verifier does not heed
 * (constraints of names, a purpose other than signing code, anything critical and unknown) is refused whole: to
 * leave a limit out would trust more than its maker did; so is one with a log or an authority that lacks the start of its
 * validity, or whose entries are not what they say. Throws SigstoreError `invalid_config`; `file` names the source.
 */
export function parseTrustRoot(bytes: Uint8Array, file: string): TrustRoot {
  const text = Buffer.from(bytes).toString('utf8');
  const document = parsed(text, file);
  const { mediaType } = document as { readonly mediaType?: unknown };
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType))
    throw unusable(file, 'is not a Sigstore trust root: its mediaType is wrong or missing');
  try {
    const root = TrustedRoot.fromJSON(document);
    if (root.certificateAuthorities.length + root.tlogs.length === 0)
      throw unusable(file, 'names neither a certificate authority nor a transparency log');
    const fault = faultOfRoot(root);
    if (fault !== null) throw unusable(file, `cannot be used: ${fault}`);
    for (const authority of root.certificateAuthorities) {
      for (const { rawBytes } of authority.certChain?.certificates ?? []) checkAuthority(rawBytes, file);
    }
    return { id: sha256Hex(text), material: toTrustMaterial(root) };
  } catch (cause) {
    if (cause instanceof SigstoreError) throw cause;
    throw unusable(file, 'holds a certificate or a key that cannot be read', cause);
  }
}

/** Critical extensions of an authority that the verifier heeds: what its key may do, and that it is an authority. */
const HEEDED = ['2.5.29.15', '2.5.29.19', '2.5.29.37'];
const NAME_CONSTRAINTS = '2.5.29.30';

function checkAuthority(der: Buffer, file: string): void {
  for (const extension of extensionsOf(X509Certificate.parse(Buffer.from(der)))) {
    const { oid, critical } = extension;
    if (oid === NAME_CONSTRAINTS || (critical && !HEEDED.includes(oid)))
      throw unusable(
        file,
        `has a certificate authority with a limit that is not heeded here (extension ${oid})`,
      );
    if (oid === KEY_PURPOSE.oid && !KEY_PURPOSE.signsCode(extension))
      throw unusable(file, 'has a certificate authority that may not sign certificates for code');
  }
}

function parsed(text: string, file: string): object {
  try {
    const document: unknown = parseStrictJson(text);
    if (document !== null && typeof document === 'object') return document;
  } catch (error) {
    if (error instanceof JsonKeyError) throw unusable(file, `cannot be used: ${error.message}`);
    // said below, without the text, which can be long
  }
  throw unusable(file, 'is not a JSON document');
}

function unusable(file: string, fault: string, cause?: unknown): SigstoreError {
  return new SigstoreError('invalid_config', `the trust root ${fault}`, {
    file,
    hint: 'Give the trusted_root.json of your Sigstore, as `cosign trusted-root create` writes it',
    cause,
  });
}
