import { constants, verify } from 'node:crypto';
import { CURVE_HASHES, openPublicKey, type SignerName } from '../policy/index.ts';

/** Signer is one key that a policy trusts, or one keyless identity or pattern of identities. */
export interface Signer extends SignerName {
  readonly key?: string | undefined;
}

/**
 * verifyWithKey tells whether `signature` over `data` was made by the PEM key: ECDSA (DER, hash of the curve's
 * size, or SHA-256 as cosign signs with any curve), Ed25519, RSA PKCS#1 v1.5 or PSS with SHA-256. A key or a
 * signature that cannot be read verifies nothing; it never throws.
 */
export function verifyWithKey(pem: string, data: Uint8Array, signature: Uint8Array): boolean {
  const key = openPublicKey(pem);
  if (key === null) return false;
  try {
    switch (key.asymmetricKeyType) {
      case 'ed25519':
        return verify(null, data, key, signature);
      case 'ec': {
        const own = CURVE_HASHES[key.asymmetricKeyDetails?.namedCurve ?? ''];
        if (own === undefined) return false;
        return (
          verify(own, data, key, signature) || (own !== 'sha256' && verify('sha256', data, key, signature))
        );
      }
      case 'rsa':
        return (
          verify('sha256', data, key, signature) ||
          verify('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING }, signature)
        );
      default:
        return false;
    }
  } catch {
    return false; // a malformed signature is one that does not verify
  }
}
