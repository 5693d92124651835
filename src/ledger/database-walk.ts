import { CompactRange } from './compact-range.ts';
import { HASH_BYTES, toHash, UNREADABLE, type Hash } from './merkle.ts';
import { hashesOf } from './leaf-runs.ts';
import type { Piece } from './locate-change.ts';
import { joinHashes, TILE_LEVELS, TILE_WIDTH } from './tiles.ts';
import type { LeafRun, TreeReader } from './tree-ports.ts';
import { rowsText, type BadRows } from './verification.ts';

/** This many missing rows are stood in for, so that the others keep their places; beyond, there are no roots. */
const MAX_MISSING = 4_000_000;
/** This many gaps are told of, the first ones. */
const MAX_GAPS = 1000;

/** DatabaseWalk is what walking over all rows of a database has found. */
export interface DatabaseWalk {
  readonly count: number;
  /** Number of the last row; 0 where there is none. */
  readonly last: number;
  /** Rows that are missing. */
  readonly missing: readonly BadRows[];
  /** The first row whose hash is another than the stored tree has for it; null when there is none. */
  readonly differing: number | null;
  /** What is wrong in the stored tree itself. */
  readonly storedFaults: readonly string[];
  /** Whole tiles of rows, oldest first. */
  readonly pieces: readonly Piece[];
  /** The roots that the rows give, by size. */
  readonly roots: ReadonlyMap<number, Hash>;
}

/**
 * walkDatabase hashes all rows, oldest first, and holds them against the stored tree: each row against its leaf, each whole tile
 * against the hash above it. `rows` are all rows as they were hashed; `sizes`, the smallest first, are those of the tree at which roots
 * are wanted.
 */
export async function walkDatabase(
  reader: TreeReader,
  rows: AsyncIterable<readonly LeafRun[]>,
  sizes: readonly number[],
  progress: (rows: number) => void,
): Promise<DatabaseWalk> {
  const walk = new Walk(reader, await reader.size(), sizes);
  for await (const runs of rows) {
    for (const run of runs) await walk.take(run);
    await walk.settle();
    progress(walk.count);
  }
  await walk.settle();
  return walk;
}

class Walk implements DatabaseWalk {
  count = 0;
  last = 0;
  readonly missing: BadRows[] = [];
  differing: number | null = null;
  readonly storedFaults: string[] = [];
  readonly pieces: Piece[] = [];
  readonly roots = new Map<number, Hash>();
  readonly #reader: TreeReader;
  /** Rows that the stored tree covers. */
  readonly #size: number;
  readonly #range = new CompactRange(0, (level, index, hash) => {
    if (level % TILE_LEVELS === 0) this.#made.push({ level, index, hash });
  });
  readonly #sizes: readonly number[];
  #next = 0;
  #made: Piece[] = [];
  /** By level, the tile that was read last. */
  readonly #above = new Map<number, { readonly tile: number; readonly hashes: Buffer | null }>();
  #missing = 0;

  constructor(reader: TreeReader, size: number, sizes: readonly number[]) {
    this.#reader = reader;
    this.#size = size;
    this.#sizes = sizes;
  }

  /** Stands in for rows that are missing, so that those behind them keep their places. */
  miss(from: number, to: number): void {
    if (this.missing.length < MAX_GAPS)
      this.missing.push({ from, to, text: `${rowsText(from, to)} ${from === to ? 'is' : 'are'} missing` });
    this.#missing += to - from + 1;
    if (this.#missing <= MAX_MISSING) for (let id = from; id <= to; id += 1) this.#append(id, UNREADABLE);
    this.last = to;
  }

  async take(run: LeafRun): Promise<void> {
    const { first, hashes, root } = run;
    if (first > this.last + 1) this.miss(this.last + 1, first - 1);
    const rows = hashes.length / HASH_BYTES;
    this.count += rows;
    this.last += rows;
    if (this.#missing > MAX_MISSING) return;
    if (first <= this.#size && this.differing === null) await this.#compare(run);
    while ((this.#sizes[this.#next] ?? Infinity) < first) this.#next += 1;
    // No root is wanted inside of it: the tile goes in as one.
    if (root !== null && (this.#sizes[this.#next] ?? Infinity) >= first + rows - 1) {
      this.#made.push({ level: TILE_LEVELS, index: (first - 1) / TILE_WIDTH, hash: root });
      this.#range.appendNode(TILE_LEVELS, root);
      this.#rootAt(this.last);
    } else hashesOf(run).forEach((hash, i) => this.#append(first + i, hash));
  }

  #append(id: number, hash: Hash): void {
    this.#range.append(hash);
    this.#rootAt(id);
  }

  #rootAt(id: number): void {
    while ((this.#sizes[this.#next] ?? Infinity) < id) this.#next += 1;
    if (this.#sizes[this.#next] === id) this.roots.set(id, this.#range.root());
  }

  async #compare({ first, hashes }: LeafRun): Promise<void> {
    const tile = await this.#reader.tile(0, Math.floor((first - 1) / TILE_WIDTH));
    const from = ((first - 1) % TILE_WIDTH) * HASH_BYTES;
    // Rows that the tree does not cover yet have nothing to agree with.
    const covered = hashes.subarray(0, (this.#size - first + 1) * HASH_BYTES);
    const stored = tile?.subarray(from, from + covered.length) ?? Buffer.alloc(0);
    if (stored.equals(covered)) return;
    let at = 0;
    while (at < stored.length && stored[at] === covered[at]) at += 1;
    this.differing = first + Math.floor(at / HASH_BYTES);
  }

  /** Holds the subtrees that were made against those that are stored. */
  async settle(): Promise<void> {
    const made = this.#made;
    this.#made = [];
    for (const piece of made) {
      const { level, index, hash } = piece;
      if (level === TILE_LEVELS) this.pieces.push(piece);
      if ((index + 1) * 2 ** level > this.#size) continue;
      const [tile, place] = [Math.floor(index / TILE_WIDTH), index % TILE_WIDTH];
      const tileAbove = await this.#tileAbove(level / TILE_LEVELS, tile);
      const above = tileAbove?.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
      const stored = above === undefined ? '' : toHash(above);
      if (stored === hash) continue;
      const below = await this.#reader.tile(level / TILE_LEVELS - 1, index);
      if (
        below === null ||
        below.length < TILE_WIDTH * HASH_BYTES ||
        joinHashes(below.subarray(0, TILE_WIDTH * HASH_BYTES)) !== stored
      )
        this.storedFaults.push(
          `the stored hash of ${rowsText(index * 2 ** level + 1, (index + 1) * 2 ** level)} (level ${level / TILE_LEVELS}, tile ${tile}) is not that of the hashes below it`,
        );
    }
  }

  /** Tiles above the rows are asked for once for each of their hashes, one after another. */
  async #tileAbove(level: number, tile: number): Promise<Buffer | null> {
    const last = this.#above.get(level);
    if (last?.tile === tile) return last.hashes;
    const hashes = await this.#reader.tile(level, tile);
    this.#above.set(level, { tile, hashes });
    return hashes;
  }
}
