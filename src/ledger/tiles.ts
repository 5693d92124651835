import {
  coverOf,
  foldRight,
  HASH_BYTES,
  hashBytes,
  hashPair,
  type Hash,
  type Node,
  type Range,
} from './merkle.ts';
import { consistencyRanges, inclusionRanges } from './proof.ts';
import { TreeError } from './tree-error.ts';

/** TILE_WIDTH is how many hashes a whole tile holds. */
export const TILE_WIDTH = 256;
/** TILE_LEVELS is how many levels of the tree lie between two levels of tiles. */
export const TILE_LEVELS = 8;

/** Tile is the hashes of a run of subtrees of one size: `level` 0 of leaves, 1 of 256 leaves, 2 of 65,536 and so on. */
export interface Tile {
  readonly level: number;
  /** Counts the tiles of a level from the left. */
  readonly tile: number;
  /** Up to 256 hashes one after another. */
  readonly hashes: Buffer;
}

/** TileReader gives the hashes of a tile; null where there is none. What was there once stays, and only more follows. */
export interface TileReader {
  tile(level: number, tile: number): Promise<Buffer | null>;
}

/** cachingReader reads each tile once, for the tiles that one proof needs. */
export function cachingReader(reader: TileReader): TileReader {
  const known = new Map<string, Promise<Buffer | null>>();
  return {
    tile: (level, tile) => {
      const key = `${level}/${tile}`;
      let hashes = known.get(key);
      if (hashes === undefined) known.set(key, (hashes = reader.tile(level, tile)));
      return hashes;
    },
  };
}

/** hashOfNode gives the hash of a complete subtree. Throws TreeError `integrity` where the tiles do not reach that far. */
export async function hashOfNode(reader: TileReader, { level, index }: Node): Promise<Hash> {
  const tileLevel = Math.floor(level / TILE_LEVELS);
  const width = 2 ** (level - tileLevel * TILE_LEVELS);
  const first = index * width;
  const tile = Math.floor(first / TILE_WIDTH);
  const at = first - tile * TILE_WIDTH;
  const hashes = await reader.tile(tileLevel, tile);
  if (hashes === null || hashes.length < (at + width) * HASH_BYTES) {
    throw new TreeError('integrity', `the stored tree lacks hashes: level ${tileLevel}, tile ${tile}`, {
      hint: 'Find out more with: ipo ledger verify --database URL',
    });
  }
  return joinHashes(hashes.subarray(at * HASH_BYTES, (at + width) * HASH_BYTES));
}

/** joinHashes gives the hash above hashes that stand one after another; as many as a power of two. */
export function joinHashes(hashes: Uint8Array): Hash {
  const level = Buffer.from(hashes);
  for (let length = level.length; length > HASH_BYTES; length /= 2) {
    for (let at = 0; at < length; at += 2 * HASH_BYTES)
      level.write(hashPair(level, at), at / 2, HASH_BYTES, 'latin1');
  }
  return level.toString('latin1', 0, HASH_BYTES);
}

/** hashOfRange gives the hash of a run of leaves as RFC 6962 joins them; of [0, n) it is the root at size n. */
async function hashOfRange(reader: TileReader, range: Range): Promise<Hash> {
  return foldRight(await Promise.all(coverOf(range).map((node) => hashOfNode(reader, node))));
}

/** rootAt gives the root of the tree at a size that it has had. */
export function rootAt(reader: TileReader, size: number): Promise<Hash> {
  return hashOfRange(cachingReader(reader), { start: 0, end: size });
}

/** proveInclusion gives the proof that the leaf `index` stands in the tree of `size` leaves. */
export function proveInclusion(reader: TileReader, index: number, size: number): Promise<Hash[]> {
  const cached = cachingReader(reader);
  return Promise.all(inclusionRanges(index, size).map((range) => hashOfRange(cached, range)));
}

/** proveConsistency gives the proof that the tree of `size` leaves extends that of `before` leaves. */
export function proveConsistency(reader: TileReader, before: number, size: number): Promise<Hash[]> {
  const cached = cachingReader(reader);
  return Promise.all(consistencyRanges(before, size).map((range) => hashOfRange(cached, range)));
}

/**
 * extendTiles gives the tiles that change when leaves are added to a tree of `size` leaves: the last ones, longer than they
 * were, and new ones.
 */
export async function extendTiles(
  reader: TileReader,
  size: number,
  leaves: readonly Hash[],
): Promise<Tile[]> {
  const changed: Tile[] = [];
  let added = leaves;
  let count = size;
  for (let level = 0; added.length > 0; level += 1) {
    let tile = Math.floor(count / TILE_WIDTH);
    const kept = count - tile * TILE_WIDTH;
    const last = kept === 0 ? Buffer.alloc(0) : await reader.tile(level, tile);
    if (last === null || last.length < kept * HASH_BYTES) {
      throw new TreeError('integrity', `the stored tree lacks hashes: level ${level}, tile ${tile}`, {
        hint: 'Find out more with: ipo ledger verify --database URL',
      });
    }
    const above: Hash[] = [];
    let rest = Buffer.concat([last.subarray(0, kept * HASH_BYTES), hashBytes(added.join(''))]);
    for (; rest.length > 0; tile += 1) {
      const hashes = rest.subarray(0, TILE_WIDTH * HASH_BYTES);
      rest = rest.subarray(hashes.length);
      changed.push({ level, tile, hashes });
      if (hashes.length === TILE_WIDTH * HASH_BYTES) above.push(joinHashes(hashes));
    }
    count = Math.floor(count / TILE_WIDTH);
    added = above;
  }
  return changed;
}
