import { randomBytes } from 'node:crypto';
import { toBase32, toCode, toSecret, type SecretKind } from './secret.ts';

/** makeSecret gives a new secret of 256 random bits. */
export function makeSecret(kind: SecretKind): string {
  return toSecret(kind, randomBytes(32));
}

/** makeCode gives a new one-time code of 125 random bits. */
export function makeCode(): string {
  return toCode(randomBytes(16));
}

/** makeId gives a new id: 16 letters and digits, 80 random bits. */
export function makeId(): string {
  return toBase32(randomBytes(10), 16);
}
