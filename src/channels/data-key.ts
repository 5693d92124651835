import { hkdfSync } from 'node:crypto';
import { ChannelError } from './channel-error.ts';

const BYTES = 32;
/** Of 32 random bytes about 30 differ; that fewer than this do has a chance below one in 10^18. */
const DISTINCT = 16;

/** KeyPurpose is what a key is derived for; a key for one purpose says nothing about that for another. */
export type KeyPurpose = 'tracker-credentials' | 'issue-markers';

/** DataKey is the key of the installation, from `DATA_KEY`. Nothing prints it, and it is never stored. */
export class DataKey {
  readonly #bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads the base64 of 32 bytes. Throws ChannelError `invalid_config` for anything that no random source gave. */
  static parse(text: string): DataKey {
    const bytes = Buffer.from(text, 'base64');
    if (text === '' || bytes.toString('base64') !== text) throw refusal('is not valid base64');
    if (bytes.length !== BYTES) throw refusal(`holds ${bytes.length} bytes where ${BYTES} are needed`);
    if (!looksRandom(bytes)) throw refusal('is not a random key, but a text or a pattern');
    return new DataKey(bytes);
  }

  /** The 32 bytes of the key for one purpose, by HKDF-SHA-256 without salt. */
  derive(purpose: KeyPurpose): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#bytes, Buffer.alloc(0), purpose, BYTES));
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[redacted]';
  }
}

/** A typed text, one byte over and over, a short pattern repeated, or bytes that count up or down. */
function looksRandom(bytes: Buffer): boolean {
  if (new Set(bytes).size < DISTINCT) return false;
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return false;
  const step = (at: number): number => ((bytes[at] ?? 0) - (bytes[at - 1] ?? 0)) & 0xff;
  return !bytes.every((_, at) => at < 2 || step(at) === step(1));
}

function refusal(why: string): ChannelError {
  return new ChannelError('invalid_config', `DATA_KEY ${why}`, {
    hint: 'It is the base64 of 32 random bytes: openssl rand -base64 32',
  });
}
