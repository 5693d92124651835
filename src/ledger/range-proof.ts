import { toCompactRange, type CompactRange } from './compact-range.ts';
import {
  coverOf,
  fromBase64,
  HASH_BYTES,
  hashBytes,
  toBase64,
  toHash,
  type Hash,
  type Range,
} from './merkle.ts';
import { cachingReader, hashOfNode, TILE_LEVELS, TILE_WIDTH, type TileReader } from './tiles.ts';
import type { SignedCheckpoint } from './tree-ports.ts';

/** Beyond this many tiles (64 million rows) an export names none: its last line would be longer than a reader takes. */
const MAX_TILES = 250_000;
/** No tree needs more hashes on one side. */
const MAX_SIDE = 64;

/** ExportTree is what the header of an export says of the tree: with the rows it gives the root that was signed. */
export interface ExportTree {
  readonly size: number;
  readonly root: Hash;
  /** Verifier's key of the log. */
  readonly key: string;
  /** Ids of the oldest and the newest row of the export; where there is none, `first` is one above `last`. */
  readonly first: number;
  readonly last: number;
  /** Hashes of the subtrees that cover the rows before the first, and after the last. */
  readonly left: readonly Hash[];
  readonly right: readonly Hash[];
}

/** ExportSeal is what the last line of an export says: the signed checkpoint, and hashes by which a changed row is found. */
export interface ExportSeal {
  readonly note: string;
  /** Hashes of the whole tiles of 256 rows among the rows, oldest first; null where they were left out. */
  readonly tiles: readonly Hash[] | null;
  /** Hashes of the subtrees that cover the rows beside the whole tiles, oldest first; null where they were left out. */
  readonly edges: readonly Hash[] | null;
}

/** RangeProof is both, for the rows from `first` to `last`. */
export interface RangeProof {
  readonly tree: ExportTree;
  readonly seal: ExportSeal;
}

/**
 * proveRange gives what an export of the rows `first` to `last` carries, so that it can be held against a checkpoint without
 * the rows that it leaves out. Throws TreeError `integrity` where the stored tree is broken.
 */
export async function proveRange(
  reader: TileReader,
  { size, root, note }: SignedCheckpoint,
  key: string,
  first: number,
  last: number,
): Promise<RangeProof> {
  const cached = cachingReader(reader);
  const hashes = async (range: Range): Promise<Hash[]> => {
    const found: Hash[] = [];
    for (const node of coverOf(range)) found.push(await hashOfNode(cached, node));
    return found;
  };
  const { lower, tiles, upper } = partsOf({ start: first - 1, end: last });
  return {
    tree: {
      size,
      root,
      key,
      first,
      last,
      left: await hashes({ start: 0, end: first - 1 }),
      right: await hashes({ start: last, end: size }),
    },
    seal: {
      note,
      tiles: tiles.end - tiles.start > MAX_TILES ? null : await tileHashes(reader, tiles),
      edges: [...(await hashes(lower)), ...(await hashes(upper))],
    },
  };
}

/** The hashes of whole tiles, by reading the tiles above them. */
async function tileHashes(reader: TileReader, { start, end }: Range): Promise<Hash[]> {
  const found: Hash[] = [];
  for (let tile = start; tile < end;) {
    const above = Math.floor(tile / TILE_WIDTH);
    const to = Math.min(end, (above + 1) * TILE_WIDTH);
    const hashes = await reader.tile(1, above);
    if (hashes === null || hashes.length < (to - above * TILE_WIDTH) * HASH_BYTES)
      found.push(await hashOfNode(reader, { level: TILE_LEVELS, index: tile++ })); // says what is missing
    else
      for (; tile < to; tile += 1) {
        const at = (tile - above * TILE_WIDTH) * HASH_BYTES;
        found.push(toHash(hashes.subarray(at, at + HASH_BYTES)));
      }
  }
  return found;
}

/** RangeParts part a run of leaves into whole tiles, by their numbers, and the leaves on either side of them. */
export interface RangeParts {
  readonly lower: Range;
  readonly tiles: Range;
  readonly upper: Range;
}

/** partsOf parts a run of leaves. */
export function partsOf({ start, end }: Range): RangeParts {
  const from = Math.ceil(start / TILE_WIDTH);
  const to = Math.max(from, Math.floor(end / TILE_WIDTH));
  const lower = { start, end: Math.min(end, from * TILE_WIDTH) };
  return {
    lower,
    tiles: { start: from, end: to },
    upper: { start: Math.max(lower.end, to * TILE_WIDTH), end },
  };
}

/** rootAround gives the root that a run of leaves makes with the hashes on either side of it; null where they do not fit. */
export function rootAround(tree: ExportTree, rows: CompactRange): Hash | null {
  const whole = toCompactRange({ start: 0, end: tree.first - 1 }, tree.left);
  const after = toCompactRange({ start: tree.last, end: tree.size }, tree.right);
  if (whole === null || after === null) return null;
  whole.appendRange(rows);
  whole.appendRange(after);
  return whole.root();
}

/** treeDocument writes the `tree` of a header. */
export function treeDocument({
  size,
  root,
  key,
  first,
  last,
  left,
  right,
}: ExportTree): Readonly<Record<string, unknown>> {
  return {
    size,
    root: toBase64(root),
    key,
    first_id: first,
    last_id: last,
    left: left.map(toBase64),
    right: right.map(toBase64),
  };
}

/** sealDocument writes what a checkpoint line holds beside its type. */
export function sealDocument({ note, tiles, edges }: ExportSeal): Readonly<Record<string, unknown>> {
  return {
    note,
    ...(tiles === null ? {} : { tiles: hashBytes(tiles.join('')).toString('base64') }),
    ...(edges === null ? {} : { edges: edges.map(toBase64) }),
  };
}

/** parseTree reads the `tree` of a header; null where it has none. Throws an Error whose message says what is wrong. */
export function parseTree(value: unknown): ExportTree | null {
  if (value === undefined || value === null) return null;
  const { size, root, key, first_id: first, last_id: last, left, right } = value as Record<string, unknown>;
  if (!isCount(size) || !isCount(first) || !isCount(last))
    throw new Error('tree of the header names no rows');
  if (first < 1 || first > last + 1 || last > size)
    throw new Error('tree of the header names rows that the tree does not contain');
  const hash = typeof root === 'string' ? fromBase64(root) : null;
  if (hash === null) throw new Error('root in tree of the header is not the base64 of a SHA-256');
  if (typeof key !== 'string') throw new Error('key in tree of the header is not a text');
  return {
    size,
    root: hash,
    key,
    first,
    last,
    left: hashList(left, 'left'),
    right: hashList(right, 'right'),
  };
}

/** parseSeal reads a checkpoint line. Throws an Error whose message says what is wrong. */
export function parseSeal(line: Readonly<Record<string, unknown>>): ExportSeal {
  const { note, tiles = null, edges = null } = line;
  if (typeof note !== 'string') throw new Error('note of the checkpoint is not a text');
  if (tiles !== null && typeof tiles !== 'string') throw new Error('tiles of the checkpoint is not a text');
  return {
    note,
    tiles: tiles === null ? null : splitHashes(tiles),
    edges: edges === null ? null : hashList(edges, 'edges'),
  };
}

function splitHashes(text: string): Hash[] {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % HASH_BYTES !== 0 || bytes.toString('base64') !== text)
    throw new Error('tiles of the checkpoint is not the base64 of whole SHA-256');
  const whole = bytes.toString('latin1');
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    whole.slice(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}

function hashList(value: unknown, name: string): Hash[] {
  if (!Array.isArray(value) || value.length > MAX_SIDE) throw new Error(`${name} is not a list of hashes`);
  return value.map((text) => {
    const hash = typeof text === 'string' ? fromBase64(text) : null;
    if (hash === null) throw new Error(`${name} holds something that is not the base64 of a SHA-256`);
    return hash;
  });
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
