import type { LeafShape } from './leaf.ts';
import { hashWhole, type Hash } from './merkle.ts';

/** LeafShapeBytes are the parts of a LeafShape in UTF-8, the first with the byte that RFC 6962 puts before a leaf. */
export type LeafShapeBytes = { readonly [part in keyof LeafShape]: Uint8Array };

/** toLeafShapeBytes encodes the parts of a leaf that rows share. */
export function toLeafShapeBytes(shape: LeafShape): LeafShapeBytes {
  return {
    toId: Buffer.from(`\0${shape.toId}`),
    toPod: Buffer.from(shape.toPod),
    toPodUid: Buffer.from(shape.toPodUid),
    toRequester: Buffer.from(shape.toRequester),
    toReviewUid: Buffer.from(shape.toReviewUid),
    toTime: Buffer.from(shape.toTime),
  };
}

const QUOTE = 34;
const BACKSLASH = 92;
const DASH = 45;
const ZERO = 48;

/**
 * LeafBytes puts a leaf together byte by byte and hashes it, one after another in the same memory. A text that is joined of eleven
 * parts has to be made flat and encoded before it can be hashed, which takes longer than the hash itself.
 */
export class LeafBytes {
  #bytes = Buffer.allocUnsafe(4096);
  /** The first bytes of the above, by their number: making one costs as much as a tenth of a hash. */
  #views: Buffer[] = [];
  #at = 0;

  /** Adds bytes as they are. */
  part(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Adds a whole number from 0 up. */
  number(value: number): void {
    this.#room(20);
    if (value > 999_999_999 || value < 0) {
      this.#at += this.#bytes.write(String(value), this.#at, 'latin1');
      return;
    }
    let end = this.#at + 1;
    for (let rest = value; rest >= 10; rest = (rest / 10) | 0) end += 1;
    this.#at = end;
    for (let rest = value | 0; ; rest = (rest / 10) | 0) {
      this.#bytes[--end] = ZERO + (rest % 10);
      if (rest < 10) return;
    }
  }

  /** Adds a text as JSON writes it. */
  text(value: string): void {
    const { length } = value;
    this.#room(length + 2);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = QUOTE;
    for (let i = 0; i < length; i += 1) {
      const code = value.charCodeAt(i);
      if (code < 32 || code > 126 || code === QUOTE || code === BACKSLASH) {
        this.part(Buffer.from(JSON.stringify(value)));
        return;
      }
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#at = at;
  }

  /** Adds a UUID as JSON writes it, from its 32 hex digits in either case. */
  uuid(hex: string): void {
    this.#room(38);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = QUOTE;
    for (let i = 0; i < 32; i += 1) {
      if (i === 8 || i === 12 || i === 16 || i === 20) bytes[at++] = DASH;
      bytes[at++] = hex.charCodeAt(i) | 32; // digits have this bit, and it makes letters small
    }
    bytes[at++] = QUOTE;
    this.#at = at;
  }

  /** Gives the hash of what was added, and begins again. */
  hash(): Hash {
    const length = this.#at;
    this.#at = 0;
    return hashWhole((this.#views[length] ??= this.#bytes.subarray(0, length)));
  }

  /** Forgets what was added. */
  clear(): void {
    this.#at = 0;
  }

  #room(more: number): void {
    const { length } = this.#bytes;
    if (this.#at + more <= length) return;
    const larger = Buffer.allocUnsafe(Math.max(length * 2, this.#at + more));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
    this.#views = [];
  }
}
