import { createHash, hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Digest is an immutable content hash in the form `sha256:<64 lowercase hex>`. */
export type Digest = string;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** isDigest tells whether a text is a `sha256:<hex>` digest. Only this algorithm names an image here. */
export function isDigest(text: string): text is Digest {
  return DIGEST.test(text);
}

/** sha256Hex gives the lowercase hex SHA-256 of bytes, or of a text's UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/**
 * canonicalJson gives the RFC 8785 form of a JSON value: one text for one meaning, whatever order its keys came in.
 * Half a surrogate pair, for which the RFC has no form, stays an escape as JSON.stringify writes it, so that two values
 * never have one form. Throws a TypeError for what JSON cannot hold (undefined, functions, non-finite numbers).
 */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = canonicalize(value);
  } catch (error) {
    cause = error;
    if (isJson(value)) text = JSON.stringify(sorted(value));
  }
  if (text === undefined)
    throw new TypeError('a value that JSON cannot hold has no canonical form', { cause });
  return text;
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return (
    typeof value === 'object' && Object.values(value).every((entry) => entry === undefined || isJson(entry))
  );
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]));
}

/** Name space of our identifiers. */
const NAMESPACE = Buffer.from('6f1c4a0e8b7d5e3fa2d96c1be04f7a35', 'hex');

/** uuid5 makes an identifier (UUID of version 5) of a name. It is a hash, so that equal documents are equal bytes. */
export function uuid5(name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
