import type { LedgerRow } from './entry.ts';
import { leafText } from './leaf.ts';
import { hashLeaf } from './merkle.ts';
import { proveInclusion, type TileReader } from './tiles.ts';
import { verifyTlogProof, writeTlogProof } from './tlog-proof.ts';
import { TreeError } from './tree-error.ts';
import type { SignedCheckpoint } from './tree-ports.ts';

/**
 * proveRow gives the proof that a row stands in the tree of a checkpoint, as the text of a `.tlog-proof` file that carries the row.
 * Throws TreeError: `not_found` for a row that the checkpoint does not cover, `integrity` for one that is not in the tree as it
 * stands.
 */
export async function proveRow(
  tiles: TileReader,
  row: LedgerRow,
  { size, note }: SignedCheckpoint,
): Promise<string> {
  if (row.id > size) {
    throw new TreeError(
      'not_found',
      `row ${row.id} is newer than the last signed checkpoint, which is of ${size} rows`,
      {
        hint: 'A service signs every minute; ask again then',
      },
    );
  }
  const index = row.id - 1;
  const extra = Buffer.from(leafText(row));
  const proof = { index, proof: await proveInclusion(tiles, index, size), note, extra };
  verifyTlogProof(proof, hashLeaf(extra));
  return writeTlogProof(proof);
}
