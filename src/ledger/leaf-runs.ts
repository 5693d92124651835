import { HASH_BYTES, type Hash } from './merkle.ts';
import { joinHashes, TILE_WIDTH } from './tiles.ts';
import type { Leaf, LeafRun, TreeReader } from './tree-ports.ts';

/** Rows that are read at once: few enough that what they leave behind is soon cleared away. */
const BATCH = 1024;

/** readLeafRuns gives the rows with numbers above `after`, up to `last`, in runs, the lowest first. */
export async function* readLeafRuns(
  reader: Pick<TreeReader, 'leaves'>,
  after = 0,
  last = Infinity,
): AsyncGenerator<readonly LeafRun[], void, undefined> {
  for (let at = after; at < last;) {
    const leaves = await reader.leaves(at, Math.min(BATCH, last - at));
    const end = leaves.at(-1)?.id;
    if (end === undefined) return;
    // Where rows are missing, as many stand behind the last.
    const runs = toLeafRuns(end > last ? leaves.filter(({ id }) => id <= last) : leaves);
    if (runs.length > 0) yield runs;
    at = end;
  }
}

/** toLeafRuns gathers leaves, which come by id, into runs. */
function toLeafRuns(leaves: readonly Leaf[]): LeafRun[] {
  const runs: LeafRun[] = [];
  for (let from = 0; from < leaves.length;) {
    const { id: first } = leaves[from] as Leaf;
    const room = Math.min(TILE_WIDTH - ((first - 1) % TILE_WIDTH), leaves.length - from);
    const hashes = Buffer.allocUnsafe(room * HASH_BYTES);
    let count = 0;
    for (; count < room; count += 1) {
      const { id, hash } = leaves[from + count] as Leaf;
      if (id !== first + count) break;
      hashes.write(hash, count * HASH_BYTES, HASH_BYTES, 'latin1');
    }
    runs.push(toLeafRun(first, hashes.subarray(0, count * HASH_BYTES)));
    from += count;
  }
  return runs;
}

function toLeafRun(first: number, hashes: Buffer): LeafRun {
  const isTile = hashes.length === TILE_WIDTH * HASH_BYTES;
  return { first, hashes, root: isTile ? joinHashes(hashes) : null };
}

/** hashesOf gives the hashes of a run one by one. */
export function hashesOf({ hashes }: LeafRun): Hash[] {
  const text = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('latin1');
  return Array.from({ length: text.length / HASH_BYTES }, (_, i) =>
    text.slice(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}
