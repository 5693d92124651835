import { CompactRange, toCompactRange } from './compact-range.ts';
import { coverOf, UNREADABLE, type Hash, type Node } from './merkle.ts';
import { TILE_LEVELS } from './tiles.ts';
import { rowsText, type BadRows } from './verification.ts';

/** This many missing rows are stood in for, so that the others keep their places; of an export that lacks more, no root is made. */
const MAX_MISSING = 4_000_000;
/** This many faults are kept, the one with the lowest number among them. */
const MAX_FAULTS = 1000;

/**
 * RowChain takes the hashes of rows newest first, as an export has them, and keeps what is needed to know the root of the tree
 * at each size that was asked for: memory is that of the logarithm, and 32 bytes for each tile of 256 rows.
 */
export class RowChain {
  /** Numbers that are not where they belong. */
  readonly faults: BadRows[] = [];
  /** Rows that were taken. */
  count = 0;
  readonly #first: number | null;
  /** Sizes at which roots are asked for, the largest first. */
  readonly #sizes: number[];
  /** Ranges between those sizes, newest first; the last one grows. */
  readonly #ranges: CompactRange[] = [];
  readonly #tiles = new Map<number, Hash>();
  #expected: number | null;
  #missing = 0;
  #firstMissing: number | null = null;
  #last: number | null;

  /**
   * Expects the rows from `last` down to `first`; null where nothing says which. `sizes` are those at which roots are asked for.
   */
  constructor(first: number | null, last: number | null, sizes: Iterable<number>) {
    this.#first = first;
    this.#last = last;
    this.#expected = last;
    this.#sizes = [...new Set(sizes)].toSorted((a, b) => b - a);
  }

  /** The newest row that was expected or, where nothing said which, that came; null before the first. */
  get last(): number | null {
    return this.#last;
  }

  /** The first row that is missing; null when none is. */
  get firstMissing(): number | null {
    return this.#firstMissing;
  }

  /** The number of the row that comes next. */
  get expected(): number | null {
    return this.#expected;
  }

  take(id: number, hash: Hash): void {
    this.count += 1;
    if (this.#expected === null) {
      this.#expected = id;
      this.#last = id;
    }
    if (id > this.#expected) {
      const text =
        this.#expected === 0
          ? `row ${id} stands behind row 1`
          : `row ${id} stands where row ${this.#expected} belongs`;
      this.#fault({ from: id, to: id, text });
      return;
    }
    if (this.#first !== null && id < this.#first) {
      this.#fault({ from: id, to: id, text: `row ${id} is older than the first that the header names` });
      return;
    }
    if (id < this.#expected) this.#miss(id + 1);
    this.#put(id, hash);
  }

  /** Says that no more rows come. */
  end(): void {
    const first = this.#first ?? 1;
    if (this.#expected !== null && this.#expected >= first && this.#first !== null) this.#miss(first);
  }

  #fault(fault: BadRows): void {
    const last = this.faults[MAX_FAULTS - 1];
    if (last === undefined) this.faults.push(fault);
    else if (fault.from < last.from) this.faults[MAX_FAULTS - 1] = fault;
  }

  #miss(from: number): void {
    const to = this.#expected as number;
    const one = from === to;
    this.#fault({ from, to, text: `${rowsText(from, to)} ${one ? 'is' : 'are'} missing` });
    this.#firstMissing = from; // rows come newest first
    this.#missing += to - from + 1;
    if (this.#missing > MAX_MISSING) this.#expected = from - 1;
    else for (let id = to; id >= from; id -= 1) this.#put(id, UNREADABLE);
  }

  #put(id: number, hash: Hash): void {
    this.#expected = id - 1;
    if (this.#missing > MAX_MISSING) return;
    let range = this.#ranges.at(-1);
    while ((this.#sizes[0] ?? 0) > id) this.#sizes.shift();
    if (range === undefined || this.#sizes[0] === id) {
      this.#ranges.push((range = new CompactRange(id, this.#joined)));
    }
    range.prepend(hash);
  }

  readonly #joined = (level: number, index: number, hash: Hash): void => {
    if (level === TILE_LEVELS) this.#tiles.set(index, hash);
  };

  /**
   * The roots at the sizes that were asked for and that the rows reach, and at the last row, by size; `left` covers the rows
   * before the first. Null where rows are missing in such numbers that there is none.
   */
  roots(left: readonly Hash[]): ReadonlyMap<number, Hash> | null {
    const start = this.#start();
    if (start === null) return null;
    const whole = toCompactRange({ start: 0, end: start }, left);
    if (whole === null) return null;
    const roots = new Map([[start, whole.root()]]);
    for (const range of this.#ranges.toReversed()) {
      whole.appendRange(range);
      roots.set(range.end, whole.root());
    }
    return roots;
  }

  /** The ranges between the sizes that were asked for, oldest first. */
  ranges(): readonly CompactRange[] {
    return this.#ranges.toReversed();
  }

  /** All rows as one range; null where there is none. */
  whole(): CompactRange | null {
    const start = this.#start();
    if (start === null) return null;
    const whole = new CompactRange(start, this.#joined);
    for (const range of this.#ranges.toReversed()) whole.appendRange(range);
    return whole;
  }

  /** The subtrees that the rows consist of, oldest first, none larger than a tile, with their hashes. */
  pieces(): readonly (Node & { readonly hash: Hash })[] | null {
    const whole = this.whole();
    if (whole === null) return null;
    const hashes = whole.hashes();
    return coverOf(whole).flatMap(({ level, index }, i) => {
      if (level <= TILE_LEVELS) return [{ level, index, hash: hashes[i] as Hash }];
      const count = 2 ** (level - TILE_LEVELS);
      return Array.from({ length: count }, (_, at) => {
        const tile = index * count + at;
        return { level: TILE_LEVELS, index: tile, hash: this.#tiles.get(tile) as Hash };
      });
    });
  }

  /** Leaves before the oldest row; null where no range is known. */
  #start(): number | null {
    if (this.#missing > MAX_MISSING || this.#expected === null) return null;
    return this.#expected;
  }
}
