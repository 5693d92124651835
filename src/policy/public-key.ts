import { createPublicKey, type KeyObject } from 'node:crypto';
import { sha256Hex } from '../base/index.ts';

/** CURVE_HASHES gives the hash that belongs to each elliptic curve that is verified here. */
export const CURVE_HASHES: Readonly<Record<string, string>> = {
  prime256v1: 'sha256',
  secp384r1: 'sha384',
  secp521r1: 'sha512',
};

/** KeyFault says why a text is not a usable public key: a clause that follows the field's name, and what to do. */
export interface KeyFault {
  readonly message: string;
  readonly hint: string | null;
}

/**
 * An Ed25519 key as every tool writes it: any 32 bytes are one, so that there is nothing to open. Loading node:crypto takes a tenth of
 * the time of a short command.
 */
const ED25519 =
  /^-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=\n-----END PUBLIC KEY-----\n?$/;

/** publicKeyFault says why a text is not a public key that can verify here, or gives null when it is one. */
export function publicKeyFault(pem: string): KeyFault | null {
  if (ED25519.test(pem)) return null;
  const fault = (message: string, hint: string | null = null): KeyFault => ({ message, hint });
  if (/PRIVATE KEY/.test(pem)) {
    return fault(
      'is a private key; only the public one belongs here',
      'Give the public key, and replace this pair: it has been disclosed',
    );
  }
  if (/BEGIN CERTIFICATE/.test(pem)) {
    return fault(
      'is a certificate; a PEM block "BEGIN PUBLIC KEY" is needed',
      'Take its key out: openssl x509 -in FILE -pubkey -noout',
    );
  }
  if (!/^\s*-----BEGIN (RSA )?PUBLIC KEY-----/.test(pem)) {
    return fault(
      'is not a PEM block "BEGIN PUBLIC KEY"',
      'Paste the whole key below `|`, its BEGIN and END lines included',
    );
  }
  if (/^\s*-----BEGIN [A-Z ]+----- /.test(pem)) {
    return fault(
      'is a key whose lines were joined to one, since no | stands before it',
      'Write | behind the colon or dash, and the whole key on the lines below, indented',
    );
  }
  if ((pem.match(/-----BEGIN /g) ?? []).length > 1)
    return fault('holds several keys; one is allowed', 'Make an entry of each');
  const key = openPublicKey(pem);
  if (key === null)
    return fault('is not a readable PEM public key', 'Paste the whole key again; a line may be cut off');
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return null;
    case 'ec': {
      const curve = key.asymmetricKeyDetails?.namedCurve ?? 'unknown';
      return Object.hasOwn(CURVE_HASHES, curve)
        ? null
        : fault(`uses the curve ${curve}; P-256, P-384 and P-521 are verified`);
    }
    case 'rsa': {
      const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
      return bits >= 2048 ? null : fault(`is an RSA key of ${bits} bits; at least 2048 are needed`);
    }
    default:
      return fault(`is a ${key.asymmetricKeyType ?? 'strange'} key; ECDSA, Ed25519 and RSA are verified`);
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

/** keyId names a key by what it is, not by how its PEM is wrapped: the SHA-256 of its SPKI form. */
export function keyId(pem: string): string {
  const key = openPublicKey(pem);
  return sha256Hex(key === null ? pem : key.export({ type: 'spki', format: 'der' }));
}
