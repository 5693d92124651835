import { createPublicKey, type KeyObject } from 'node:crypto';

/** CURVE_HASHES gives the hash that belongs to each elliptic curve that is verified here. */
export const CURVE_HASHES: Readonly<Record<string, string>> = {
  prime256v1: 'sha256',
  secp384r1: 'sha384',
  secp521r1: 'sha512',
};

/** publicKeyFault says why a text is no public key that can verify here, or gives null when it is one. */
export function publicKeyFault(pem: string): string | null {
  if (/PRIVATE KEY/.test(pem)) {
    return 'is a private key; give the public one, and replace this key: it has been disclosed';
  }
  if (!/^\s*-----BEGIN (RSA )?PUBLIC KEY-----/.test(pem)) return 'is not a PEM block "BEGIN PUBLIC KEY"';
  const key = openPublicKey(pem);
  if (key === null) return 'is not a readable PEM public key';
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return null;
    case 'ec': {
      const curve = key.asymmetricKeyDetails?.namedCurve ?? 'unknown';
      return curve in CURVE_HASHES ? null : `uses the curve ${curve}; P-256, P-384 and P-521 are verified`;
    }
    case 'rsa':
      return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048 ? null : 'is an RSA key under 2048 bits';
    default:
      return `is a ${key.asymmetricKeyType ?? 'strange'} key; ECDSA, Ed25519 and RSA are verified`;
  }
}

const opened = new Map<string, KeyObject | null>();

/** openPublicKey gives the key of a PEM text, or null when it cannot be read. Opened keys are remembered. */
export function openPublicKey(pem: string): KeyObject | null {
  let key = opened.get(pem);
  if (key === undefined) {
    try {
      key = createPublicKey(pem);
    } catch {
      key = null; // the reason is OpenSSL's and says nothing to the writer of a policy
    }
    if (opened.size >= 256) opened.clear(); // bounded: policies name a handful of keys
    opened.set(pem, key);
  }
  return key;
}
