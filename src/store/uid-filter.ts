import { hash } from 'node:crypto';

/** UID_SEGMENT is how many rows one filter covers. */
export const UID_SEGMENT = 65_536;
/** 32 bits for each row: of a million uids that are not there, one or two seem to be. */
const BITS = 21;
const BYTES = 2 ** BITS / 8;
const PROBES = 12;

/**
 * UidFilter is a Bloom filter over the packed uids of the reviews in a segment of the ledger: it tells most uids that are not
 * there without a look at the rows. An index over uids, which are random, would cost a page of the disk for every row.
 */
export class UidFilter {
  /** What is stored. */
  readonly bytes = Buffer.alloc(BYTES);

  /** One of these uids. */
  static of(sketches: Iterable<UidSketch>): UidFilter {
    const filter = new UidFilter();
    for (const sketch of sketches) filter.add(sketch);
    return filter;
  }

  add(sketch: UidSketch): void {
    for (let i = 0; i < PROBES; i += 1) {
      const at = place(sketch, i);
      this.bytes[at >>> 3] = (this.bytes[at >>> 3] as number) | (1 << (at & 7));
    }
  }
}

/** Filters that are asked at once: the bits of a word. */
const WORD = 32;

/**
 * UidFilters is the filters of all full segments, in their order, and the one that is being filled. They lie crosswise: a word holds
 * the same bit of 32 filters, so that a uid is looked up in all of them with few more reads than in one. What is filled lies there
 * from the start: laid out at once, a filter would hold up every review for tens of milliseconds.
 */
export class UidFilters {
  readonly #groups: Uint32Array[] = [];
  #count = 0;
  #open = new UidFilter();

  /** How many are full. */
  get count(): number {
    return this.#count;
  }

  /** Takes a uid into the filter that is being filled; one too many does no harm. */
  fill(sketch: UidSketch): void {
    const group = this.#group();
    const own = this.#count % WORD;
    this.#open.add(sketch);
    for (let i = 0; i < PROBES; i += 1) {
      const at = place(sketch, i);
      group[at] = (group[at] as number) | (1 << own);
    }
  }

  /** The filter that is being filled, with further uids, as it is to be stored. */
  filled(further: Iterable<UidSketch>): UidFilter {
    const filter = new UidFilter();
    this.#open.bytes.copy(filter.bytes);
    for (const sketch of further) filter.add(sketch);
    return filter;
  }

  /** The filter that was filled is full. */
  seal(): void {
    this.#group();
    this.#count += 1;
    this.#open = new UidFilter();
  }

  /** Adds the stored filter of the next segment. Throws when it has another length. */
  push(bytes: Buffer): void {
    if (bytes.length !== BYTES) throw new TypeError(`a filter of uids has ${bytes.length} bytes`);
    const own = this.#count % WORD;
    const group = this.#group();
    for (let byte = 0; byte < BYTES; byte += 1) {
      for (let rest = bytes[byte] as number; rest !== 0; rest &= rest - 1) {
        const at = byte * 8 + (31 - Math.clz32(rest & -rest));
        group[at] = (group[at] as number) | (1 << own);
      }
    }
    this.seal();
  }

  /** The full segments that may hold a uid; in all others it is certainly not. */
  suspects(sketch: UidSketch): number[] {
    const segments: number[] = [];
    for (let group = 0; group < this.#groups.length; group += 1) {
      const words = this.#groups[group] as Uint32Array;
      let word = -1;
      for (let i = 0; i < PROBES && word !== 0; i += 1) word &= words[place(sketch, i)] as number;
      // The one that is being filled is known row by row.
      if (group === Math.floor(this.#count / WORD)) word &= (1 << (this.#count % WORD)) - 1;
      for (; word !== 0; word &= word - 1) segments.push(group * WORD + 31 - Math.clz32(word & -word));
    }
    return segments;
  }

  clear(): void {
    this.#groups.length = 0;
    this.#count = 0;
    this.#open = new UidFilter();
  }

  /** The words of the filter that is being filled. */
  #group(): Uint32Array {
    const at = Math.floor(this.#count / WORD);
    return (this.#groups[at] ??= new Uint32Array(2 ** BITS));
  }
}

/** UidSketch is a uid as filters see it. */
export interface UidSketch {
  readonly a: number;
  readonly b: number;
}

/** sketchOf gives the sketch of a packed uid. Stored filters depend on it, so it can never change. */
export function sketchOf(packed: Buffer): UidSketch {
  const bytes = packed.length === 16 ? packed : hash('sha256', packed, 'buffer');
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < 16; at += 4) {
    const word = bytes.readInt32LE(at);
    a = mix(a ^ word);
    b = mix(b + word);
  }
  return { a, b: b | 1 };
}

function place({ a, b }: UidSketch, i: number): number {
  return (a + Math.imul(b, i)) >>> (32 - BITS);
}

/** The last step of MurmurHash3, which spreads every bit of a number over all of them. */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
