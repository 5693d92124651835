import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** SecretKind is what a secret proves: a session, or a token of a pipeline. */
export type SecretKind = 'session' | 'token';

const PREFIXES = { session: 'ipos_', token: 'ipo_' } as const satisfies Record<SecretKind, string>;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^(ipos?_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * toSecret writes 32 random bytes as a secret: `ipo_` (token) or `ipos_` (session), 43 digits to base 62, and six of a
 * CRC-32 over all before it. Scanners for leaked secrets know it by prefix and checksum, and a truncated or mistyped one is
 * told from a wrong one without asking the store.
 */
export function toSecret(kind: SecretKind, bytes: Uint8Array): string {
  if (bytes.length !== 32) throw new TypeError('a secret is made of 32 bytes');
  const text = PREFIXES[kind] + toBase62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), 43);
  return text + checksum(text);
}

/** secretKind tells what a text would prove, or null when it cannot be one of our secrets. */
export function secretKind(text: string): SecretKind | null {
  const [, prefix = '', body = '', sum] = SHAPE.exec(text) ?? [];
  if (sum === undefined || checksum(prefix + body) !== sum) return null;
  return prefix === PREFIXES.token ? 'token' : 'session';
}

function checksum(text: string): string {
  return toBase62(BigInt(crc32(text)), 6);
}

function toBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value, i = 0; i < digits; i += 1, rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** toBase32 writes bytes as letters and the digits 2 to 7, five bits each, the rest cut off. */
export function toBase32(bytes: Uint8Array, length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) {
    const bit = i * 5;
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    text += BASE32[(pair >> (11 - (bit & 7))) & 31];
  }
  return text;
}

/** CODE_LENGTH is how many letters a one-time code has: 125 bits. */
const CODE_LENGTH = 25;

/** toCode writes 16 random bytes as a one-time code for people: `xxxxx-xxxxx-xxxxx-xxxxx-xxxxx`. */
export function toCode(bytes: Uint8Array): string {
  return (toBase32(bytes, CODE_LENGTH).match(/.{5}/g) ?? []).join('-');
}

/** readCode gives a one-time code as it is hashed, however it was typed; null when it cannot be one. */
export function readCode(text: string): string | null {
  if (text.length > 100) return null;
  const code = text
    .toLowerCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')
    .replaceAll('8', 'b');
  return code.length === CODE_LENGTH && /^[a-z2-7]+$/.test(code) ? code : null;
}

/** secretHash is what the store keeps of a secret or a code: its SHA-256. Both have too many bits to be guessed from it. */
export function secretHash(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** sameDigest compares two digests in a time that tells nothing about them. */
export function sameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
