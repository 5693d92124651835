import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** SigningKey is the Ed25519 key by which an installation signs what it sends to webhooks. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  /** `whpk_` and Base64 of 32 bytes, as Standard Webhooks has it. */
  readonly publicKey: string;
}

/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** signingKeyOf gives the key of a seed of 32 bytes. */
export function signingKeyOf(seed: Buffer): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: `whpk_${spki.subarray(-32).toString('base64')}` };
}
