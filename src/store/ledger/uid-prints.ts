import { hash } from 'node:crypto';

/** UID_SEGMENT is how many rows lie in one segment of the ledger. */
export const UID_SEGMENT = 65_536;
/** The place of a row in its table has 20 bits of an entry, the rest of its fingerprint the other 12. */
const PLACE_BITS = 20;
const TABLE_ROWS = 2 ** PLACE_BITS;
/** Two thirds are filled at most, so that few entries stand between a fingerprint's slot and the next empty one. */
const SLOTS = TABLE_ROWS * 1.5;
const WORD_BYTES = 4;
const CHECK_BYTES = 32;
const IS_BIG_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 0;

/**
 * printOf gives the fingerprint of a packed uid: 32 bits, never 0, which stands for a row that is the first of no review. Stored ones
 * depend on it, so it can never change.
 */
export function printOf(packed: Buffer): number {
  const bytes = packed.length === 16 ? packed : hash('sha256', packed, 'buffer');
  let mixed = 0x9e3779b9;
  for (let at = 0; at < 16; at += 4) mixed = mix(mixed ^ bytes.readInt32LE(at));
  return mixed >>> 0 || 1;
}

/** The last step of MurmurHash3, which spreads every bit of a number over all of them. */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * UidPrints finds the rows whose uid may be a given one, by its fingerprint: each costs a look at that one row. Of a thousand uids that
 * are not there, one seems to be among a million rows. A million rows take 6.3 MB in memory and 4.2 MB in the database; an index over
 * uids, which are random, would cost a page of the disk for every row. All of it is flat numbers, which no collection of garbage walks.
 */
export class UidPrints {
  readonly #tables: Uint32Array[] = [];
  /** Those of the segment that is being filled, by the place of the row. */
  #open = new Uint32Array(UID_SEGMENT);

  /** Takes the first row of a review. Each row once. */
  add(print: number, id: number): void {
    const place = (id - 1) % TABLE_ROWS;
    const table = (this.#tables[(id - 1 - place) / TABLE_ROWS] ??= new Uint32Array(SLOTS));
    let slot = slotOf(print);
    while (table[slot] !== 0) slot = slot + 1 === SLOTS ? 0 : slot + 1;
    table[slot] = entryOf(print, place);
    this.#open[place % UID_SEGMENT] = print;
  }

  /** The rows that may have the uid of a fingerprint. */
  rows(print: number): number[] {
    const found: number[] = [];
    const first = slotOf(print);
    const wanted = entryOf(print, 0);
    for (let number = 0; number < this.#tables.length; number += 1) {
      const table = this.#tables[number];
      if (table === undefined) continue; // a million rows that no review asked for
      let slot = first;
      for (let entry = table[slot] as number; entry !== 0; entry = table[slot] as number) {
        if ((entry ^ wanted) >>> PLACE_BITS === 0)
          found.push(number * TABLE_ROWS + (entry & (TABLE_ROWS - 1)) + 1);
        slot = slot + 1 === SLOTS ? 0 : slot + 1;
      }
    }
    return found;
  }

  /** Gives the stored form of the segment that was being filled, and begins the next. */
  seal(segment: number): Buffer {
    const stored = writePrints(this.#open, segment);
    this.#open = new Uint32Array(UID_SEGMENT);
    return stored;
  }
}

function slotOf(print: number): number {
  return Math.floor(print * (SLOTS / 2 ** 32));
}

/** The low bits of the fingerprint, of which the slot says nothing, before the place; never 0. */
function entryOf(print: number, place: number): number {
  const rest = print & 0xfff || 1;
  return ((rest << PLACE_BITS) | place) >>> 0;
}

/** The fingerprints of a segment in the order of its rows, little-endian, its number, and the SHA-256 of both. */
function writePrints(prints: Uint32Array, segment: number): Buffer {
  const words = new Uint32Array(UID_SEGMENT + 1);
  words.set(prints);
  words[UID_SEGMENT] = segment;
  const bytes = Buffer.from(words.buffer);
  if (IS_BIG_ENDIAN) bytes.swap32();
  return Buffer.concat([bytes, hash('sha256', bytes, 'buffer')]);
}

/** readPrints reads the stored form of a segment: a fingerprint for each row, or null where it is not what was written. */
export function readPrints(stored: Buffer, segment: number): Uint32Array | null {
  const length = (UID_SEGMENT + 1) * WORD_BYTES;
  if (stored.length !== length + CHECK_BYTES) return null;
  const own = stored.subarray(0, length);
  if (!hash('sha256', own, 'buffer').equals(stored.subarray(length))) return null;
  const words = new Uint32Array(UID_SEGMENT + 1);
  const bytes = Buffer.from(words.buffer);
  own.copy(bytes);
  if (IS_BIG_ENDIAN) bytes.swap32();
  return words[UID_SEGMENT] === segment ? words.subarray(0, UID_SEGMENT) : null;
}
