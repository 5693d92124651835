import { availableParallelism } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { readLeafRuns, type LeafRun, type TreeReader } from '../../ledger/index.ts';
import { HashThread } from './hash-thread.ts';
import { threadEntry } from '../programs/worker-entry.ts';

/** HashRowsOptions say how rows are hashed; the defaults are for all but tests. */
export interface HashRowsOptions {
  /** Threads (one for each core, up to four). */
  readonly threads?: number;
  /** A ledger of fewer rows is hashed before threads are of use (100,000). */
  readonly atLeast?: number;
  /** Numbers of rows that a thread is given at a time: 64 tiles, whose hashes are half a megabyte. */
  readonly slice?: number;
  /** Whether the caller hashes rows until threads have started (true). */
  readonly meanwhile?: boolean;
  /** The program of a thread. */
  readonly entry?: string;
}

interface Slice {
  readonly last: number;
  readonly runs: Promise<readonly LeafRun[]>;
}

/** Slices that each thread is given ahead. */
const AHEAD = 2;

/**
 * hashRows gives all rows of a database in runs, the lowest first, hashed by as many threads as there are cores where the ledger is
 * large, and by the caller until they have started. `tree` reads the same database: what threads cannot know beforehand (rows behind the last, those behind a gap) comes from it.
 * Throws StoreError, and what a thread died of.
 */
export async function* hashRows(
  url: string,
  tree: TreeReader,
  options: HashRowsOptions = {},
): AsyncGenerator<readonly LeafRun[], void, undefined> {
  const { threads = Math.min(4, availableParallelism()), meanwhile = true } = options;
  const { atLeast = 100_000, slice = 16_384 } = options;
  const count = await tree.rows();
  if (count < atLeast || threads < 2) return yield* readLeafRuns(tree);
  const pool = openPool(url, threads, options.entry);
  let done = 0;
  try {
    const own = meanwhile ? count : 0;
    while (done < own && !pool.some(({ ready }) => ready)) {
      const last = done + slice;
      for await (const runs of readLeafRuns(tree, done, last)) yield runs;
      done = last;
      await turn(); // else no thread would be heard
    }
    let slices: Slice[] = [];
    for (let next = done; ;) {
      const usable = usableOf(pool);
      while (next < count && slices.length < usable.length * AHEAD) {
        const last = Math.min(next + slice, count);
        slices.push({ last, runs: leastBusy(usable).runs(next, last) });
        next = last;
      }
      const [first] = slices.splice(0, 1);
      if (first === undefined) break;
      const runs = await first.runs;
      done = first.last;
      if (runs.length > 0) yield runs;
      else {
        // Rows are missing. However many numbers they had (a head can say anything), the next row is looked up.
        const [following] = await tree.leaves(done, 1);
        if (following === undefined) break;
        if (following.id > next) {
          slices = [];
          next = done = following.id - 1 - ((following.id - 1) % slice);
        }
      }
    }
  } finally {
    await Promise.all(pool.map((thread) => thread.close()));
  }
  yield* readLeafRuns(tree, done);
}

function openPool(url: string, threads: number, entry = threadEntry('hash-worker')): readonly HashThread[] {
  return Array.from({ length: threads }, () => new HashThread(url, entry));
}

/** Threads that have started; all of them while none has. */
function usableOf(pool: readonly HashThread[]): readonly HashThread[] {
  const ready = pool.filter((thread) => thread.ready);
  return ready.length > 0 ? ready : pool;
}

function leastBusy(pool: readonly HashThread[]): HashThread {
  return pool.reduce((least, one) => (one.busy < least.busy ? one : least));
}
