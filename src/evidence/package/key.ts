import { createHash, createPrivateKey, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { IpoError, sha256Hex } from '../../base/index.ts';

/** Bytes of an uncompressed point of P-256. */
const POINT_BYTES = 65;

/** EvidenceKey is a public key that signs packages. */
export interface EvidenceKey {
  /** SHA-256 of the key in DER, hex. */
  readonly id: string;
  /** As OpenSSH and cosign name the key: `SHA256:` and the digest of its form in SSH (RFC 5656), base64. */
  readonly fingerprint: string;
  /** SubjectPublicKeyInfo. */
  readonly pem: string;
  readonly publicKey: KeyObject;
}

/** EvidenceSigner signs packages. */
export interface EvidenceSigner extends EvidenceKey {
  /** ECDSA over SHA-256 of the bytes, in DER: the same for the same bytes (RFC 6979). */
  sign(bytes: Uint8Array): Buffer;
}

/** toEvidenceKey reads a public key. Throws IpoError `format` for any other than ECDSA on P-256. */
export function toEvidenceKey(pem: string, what: string): EvidenceKey {
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey(pem);
  } catch (cause) {
    throw wrongKind(what, 'verify', 'it is not a public key in PEM', cause);
  }
  checkKind(publicKey, what, 'verify');
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const fingerprint = fingerprintOf(der.subarray(-POINT_BYTES));
  return {
    id: sha256Hex(der),
    fingerprint,
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    publicKey,
  };
}

/** toEvidenceSigner reads a private key. Throws IpoError `format`, which repeats nothing of it. */
export function toEvidenceSigner(pem: string, what: string): EvidenceSigner {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw wrongKind(what, 'sign', 'it is not a private key in PEM without a passphrase', cause);
  }
  checkKind(key, what, 'sign');
  const { d = '' } = key.export({ format: 'jwk' });
  const secret = Buffer.from(d, 'base64url');
  const known = toEvidenceKey(createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(), what);
  return {
    ...known,
    sign: (bytes) => Buffer.from(p256.sign(bytes, secret, { lowS: false, format: 'der' })),
  };
}

/** holdsSignature tells whether a signature in DER belongs to bytes. */
export function holdsSignature(
  { publicKey }: EvidenceKey,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify('sha256', bytes, publicKey, signature);
}

/** The key in DER ends with its point, uncompressed. */
function fingerprintOf(point: Uint8Array): string {
  const fields = [Buffer.from('ecdsa-sha2-nistp256'), Buffer.from('nistp256'), point].flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return [length, field];
  });
  const digest = createHash('sha256').update(Buffer.concat(fields)).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

/** What a key of another kind was meant to do. */
type Use = 'sign' | 'verify';

const HINTS = {
  sign: 'Make a key with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out evidence.key',
  verify: 'Give the public key of the service or the person that made the package, in PEM',
} as const;

function checkKind(key: KeyObject, what: string, use: Use): void {
  if (key.asymmetricKeyType !== 'ec')
    throw wrongKind(what, use, `it is of the kind ${key.asymmetricKeyType ?? 'unknown'}`);
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (curve !== 'prime256v1') throw wrongKind(what, use, `its curve is ${curve ?? 'unknown'}`);
}

function wrongKind(what: string, use: Use, why: string, cause?: unknown): IpoError {
  return new IpoError('format', `${what} cannot ${use} packages (ECDSA on P-256): ${why}`, {
    hint: HINTS[use],
    cause,
  });
}
