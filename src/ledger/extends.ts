import type { Checkpoint } from './checkpoint.ts';
import { EMPTY_ROOT } from './merkle.ts';
import { verifyConsistency } from './proof.ts';
import { proveConsistency, rootAt, type TileReader } from './tiles.ts';

/**
 * faultOfExtending proves that the tree of `size` rows extends an earlier checkpoint of at most that size: null where it does, else
 * a sentence that says what is wrong. Throws TreeError `integrity` where the tiles do not reach that far.
 */
export async function faultOfExtending(
  tree: TileReader,
  before: Pick<Checkpoint, 'size' | 'root'>,
  size: number,
): Promise<string | null> {
  // From the empty tree there is no proof, and none is needed: every tree extends it.
  if (before.size === 0) return before.root === EMPTY_ROOT ? null : 'the root of its empty tree is another';
  const proof = await proveConsistency(tree, before.size, size);
  return verifyConsistency(before.size, size, proof, before.root, await rootAt(tree, size));
}
