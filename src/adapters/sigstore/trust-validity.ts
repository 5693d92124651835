import { createPublicKey } from 'node:crypto';
import {
  HashAlgorithm,
  PublicKeyDetails,
  type TimeRange,
  type TransparencyLogInstance,
  type TrustedRoot,
} from '@sigstore/protobuf-specs';

/** The key that each kind is: as OpenSSL names its type, and its curve. */
const KINDS: ReadonlyMap<PublicKeyDetails, readonly [type: string, curve?: string]> = new Map([
  [PublicKeyDetails.PKIX_ECDSA_P256_SHA_256, ['ec', 'prime256v1']],
  [PublicKeyDetails.PKIX_ECDSA_P384_SHA_384, ['ec', 'secp384r1']],
  [PublicKeyDetails.PKIX_ECDSA_P521_SHA_512, ['ec', 'secp521r1']],
  [PublicKeyDetails.PKIX_ED25519, ['ed25519']],
  [PublicKeyDetails.PKIX_ED25519_PH, ['ed25519']],
  [PublicKeyDetails.PKCS1_RSA_PKCS1V5, ['rsa']],
  [PublicKeyDetails.PKIX_RSA_PKCS1V5, ['rsa']],
  [PublicKeyDetails.PKIX_RSA_PKCS1V15_2048_SHA256, ['rsa']],
  [PublicKeyDetails.PKIX_RSA_PKCS1V15_3072_SHA256, ['rsa']],
  [PublicKeyDetails.PKIX_RSA_PKCS1V15_4096_SHA256, ['rsa']],
]);

/** Of these the bytes are PKCS #1. */
const PKCS1: ReadonlySet<PublicKeyDetails> = new Set(
  [...KINDS].flatMap(([details, [type]]) => (type === 'rsa' ? [details] : [])),
);

/**
 * faultOfRoot says what an entry of a trust root lacks, as a clause with its place; null for nothing. The verifier would fill in what is
 * missing (valid since ever, any key), which trusts more than the maker of the root did; cosign refuses such a log likewise.
 */
export function faultOfRoot(root: TrustedRoot): string | null {
  const { tlogs, ctlogs, certificateAuthorities, timestampAuthorities } = root;
  for (const [list, logs] of Object.entries({ tlogs, ctlogs }))
    for (const [i, log] of logs.entries()) {
      const fault = faultOfLog(log, `${list}[${i}]`);
      if (fault !== null) return fault;
    }
  for (const [list, authorities] of Object.entries({ certificateAuthorities, timestampAuthorities }))
    for (const [i, { certChain, validFor }] of authorities.entries()) {
      const place = `${list}[${i}]`;
      if ((certChain?.certificates ?? []).length === 0) return `${place}.certChain has no certificate`;
      const fault = faultOfRange(validFor, `${place}.validFor`);
      if (fault !== null) return fault;
    }
  return null;
}

function faultOfLog(
  { hashAlgorithm, logId, publicKey }: TransparencyLogInstance,
  place: string,
): string | null {
  if (hashAlgorithm !== HashAlgorithm.SHA2_256) return `${place}.hashAlgorithm is not SHA2_256`;
  if ((logId?.keyId ?? []).length === 0) return `${place}.logId is missing`;
  if (publicKey?.rawBytes === undefined) return `${place}.publicKey is missing`;
  const kind = KINDS.get(publicKey.keyDetails);
  if (kind === undefined) return `${place}.publicKey.keyDetails names no kind of key that is known`;
  if (!isKey(publicKey.rawBytes, publicKey.keyDetails, kind))
    return `${place}.publicKey is not of the kind that its keyDetails name`;
  return faultOfRange(publicKey.validFor, `${place}.publicKey.validFor`);
}

function isKey(
  der: Uint8Array,
  details: PublicKeyDetails,
  [type, curve]: readonly [type: string, curve?: string],
): boolean {
  try {
    const format = {
      key: Buffer.from(der),
      format: 'der',
      type: PKCS1.has(details) ? 'pkcs1' : 'spki',
    } as const;
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey(format);
    return asymmetricKeyType === type && (curve === undefined || asymmetricKeyDetails?.namedCurve === curve);
  } catch {
    return false;
  }
}

/** A start is required; without an end it is valid until further notice. */
function faultOfRange(range: TimeRange | undefined, place: string): string | null {
  const [start, end] = [range?.start?.getTime(), range?.end?.getTime()];
  if (start === undefined) return `${place} has no start`;
  if (Number.isNaN(start)) return `${place}.start is not a time`;
  if (end === undefined) return null;
  if (Number.isNaN(end)) return `${place}.end is not a time`;
  return end < start ? `${place} ends before it starts` : null;
}
