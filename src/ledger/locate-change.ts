import { CompactRange } from './compact-range.ts';
import { coverOf, type Hash, type Node } from './merkle.ts';
import { partsOf, rootAround, type ExportSeal, type ExportTree, type RangeProof } from './range-proof.ts';
import { TILE_LEVELS, TILE_WIDTH } from './tiles.ts';
import { rowsText } from './verification.ts';

/** Piece is a subtree of rows, of a whole tile at most, with the hash that its rows give. */
export type Piece = Node & { readonly hash: Hash };

/** Place is where rows and hashes part; `rows` null where the rows are as the hashes say, and the proof around them is not. */
export interface Place {
  readonly rows: { readonly from: number; readonly to: number } | null;
  readonly text: string;
  /** Whether the hashes around the rows give the root that was signed. */
  readonly isProved: boolean;
}

/**
 * findPlace holds the hashes that an export carries against those that its rows give; null when they cannot tell. What it carries
 * is believed when it gives the root that was signed: then the first hash that differs is where the first changed row stands.
 */
export function findPlace(
  tree: ExportTree,
  seal: ExportSeal,
  pieces: readonly Piece[],
  signed: Hash,
): Place | null {
  const claims = claimsOf(tree, seal);
  const piece = pieces.find((one) => {
    const claimed = claims.get(keyOf(one));
    return claimed !== undefined && claimed !== one.hash;
  });
  const isWhole = pieces.length === claims.size && pieces.every((one) => claims.has(keyOf(one)));
  if (piece === undefined) {
    return isWhole ? { rows: null, text: UNFITTING, isProved: false } : null;
  }
  const rows = rowsOf(piece);
  const text = rowsText(rows.from, rows.to);
  if (isWhole) {
    const range = new CompactRange(tree.first - 1);
    for (const one of pieces) range.appendNode(one.level, claims.get(keyOf(one)) as Hash);
    if (rootAround(tree, range) === signed)
      return { rows, text: `the hash over ${text} is not the one that was signed`, isProved: true };
  }
  return {
    rows,
    text: `the hash over ${text} is not the one that the export carries, and what it carries is not what was signed`,
    isProved: false,
  };
}

const UNFITTING =
  'the rows fit the hashes beside the checkpoint, so the proof in the header was changed, or both were';

/** differingTile finds the first whole tile in which the rows differ from those of a kept export; null when none does. */
export function differingTile(
  pieces: readonly Piece[],
): (kept: RangeProof) => { readonly from: number; readonly to: number } | null {
  return ({ tree, seal }) => {
    const claims = claimsOf(tree, seal);
    const piece = pieces.find((one) => {
      const claimed = one.level === TILE_LEVELS ? claims.get(keyOf(one)) : undefined;
      return claimed !== undefined && claimed !== one.hash;
    });
    return piece === undefined ? null : rowsOf(piece);
  };
}

/** The hashes that an export carries, by the subtree that each is of; those whose number does not fit are left out. */
function claimsOf({ first, last }: ExportTree, { tiles, edges }: ExportSeal): ReadonlyMap<string, Hash> {
  const parts = partsOf({ start: first - 1, end: last });
  const nodes = [...coverOf(parts.lower), ...coverOf(parts.upper)];
  const claims = new Map<string, Hash>();
  if (edges?.length === nodes.length) nodes.forEach((node, i) => claims.set(keyOf(node), edges[i] as Hash));
  tiles?.forEach((hash, i) => claims.set(keyOf({ level: TILE_LEVELS, index: parts.tiles.start + i }), hash));
  return claims;
}

function keyOf({ level, index }: Node): string {
  return `${level}/${index}`;
}

function rowsOf({ level, index }: Node): { from: number; to: number } {
  const width = level === TILE_LEVELS ? TILE_WIDTH : 2 ** level;
  return { from: index * width + 1, to: (index + 1) * width };
}
