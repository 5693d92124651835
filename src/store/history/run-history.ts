import { sql } from 'kysely';
import { DAY_MS } from '../../base/index.ts';
import { lastWholeSweep, noteSweep } from './cluster-days.ts';
import { insertMany, type Cell } from '../sql/dialect.ts';
import { imageNumbers } from '../findings/history-images.ts';
import { tellBack, tellGone } from '../findings/tell-running.ts';
import { readSuccessors } from './tracking-running.ts';
import { run, type Executor } from '../sql/run.ts';

/** SweepSight is what a sweep over a cluster saw running. */
export interface SweepSight {
  readonly cluster: string;
  /** When every pod had been looked at, in UTC milliseconds. */
  readonly at: number;
  readonly digests: readonly string[];
  /** Whether what it did not see does not run. */
  readonly whole: boolean;
}

interface Run {
  readonly digest: string;
  readonly image: number;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
  readonly ended_at: number | null;
}

const TYPES = {
  image: 'integer',
  cluster: 'text',
  first_seen_at: 'integer',
  last_seen_at: 'integer',
  ended_at: 'integer',
  superseded_by: 'integer',
} as const;
const REPLACE = `on conflict (image, cluster, first_seen_at) do update set last_seen_at = excluded.last_seen_at,
  ended_at = excluded.ended_at, superseded_by = excluded.superseded_by`;
/** Runs of one transaction, which holds the lock for some milliseconds. */
const RUNS = 100;
/** Runs whose end one sweep notes; what is left is noted by the next. What came after each is looked up one by one. */
const ENDS = 500;

/** Writes runs an act in a transaction of its own. */
export type Writes = <T>(act: (transaction: Executor) => Promise<T>) => Promise<T>;

/** SeenPart is a part of what a sweep saw, and what writes it: the workloads that run these digests. */
export interface SeenPart {
  readonly digests: readonly string[];
  readonly keep: (transaction: Executor) => Promise<void>;
}

/**
 * followRuns keeps from when to when each image runs in a cluster, with what its workloads run, some of it in each transaction: whatever a
 * crash leaves, the next sweep does, and what was written says what was seen. Gives the act that ends the sweep, for the last transaction.
 * A run ends as the trackers have it: no pod was seen for 24 hours, and a whole sweep looked. One that is seen again later has run
 * twice.
 */
export async function followRuns(
  read: Executor,
  write: Writes,
  { cluster, at, digests, whole }: SweepSight,
  parts: readonly SeenPart[],
): Promise<(transaction: Executor) => Promise<void>> {
  const seen = new Set(digests);
  const swept = await lastWholeSweep(read, cluster);
  const open = await openRuns(read, cluster);
  const running = open.filter(({ digest }) => seen.has(digest));
  const back = running.filter(
    ({ last_seen_at }) => at - last_seen_at >= DAY_MS && swept !== null && swept > last_seen_at,
  );
  const gone = open
    .filter(({ digest, last_seen_at }) => whole && !seen.has(digest) && at - last_seen_at >= DAY_MS)
    .toSorted((a, b) => a.last_seen_at - b.last_seen_at)
    .slice(0, ENDS);
  // What took the place of an image that is back can be told only before it is seen again.
  await endRuns(write, cluster, back, ({ last_seen_at }) => last_seen_at + DAY_MS);
  const again = new Set(back);
  const backs = new Set(back.map(({ digest }) => digest));
  const known = new Map(running.filter((run) => !again.has(run)).map((run) => [run.digest, run]));
  for (const { digests: some, keep } of parts)
    await write(async (transaction) => {
      await keep(transaction);
      const numbers = await imageNumbers(transaction, [...new Set(some)]);
      const begun = [...numbers].filter(([digest]) => !known.has(digest) && !backs.has(digest));
      await tellBack(
        transaction,
        begun.map(([, image]) => image),
        at,
      );
      const rows = [...numbers].map(([digest, image]): Cell[] => {
        const { first_seen_at = at, last_seen_at = at } = known.get(digest) ?? {};
        return [image, cluster, first_seen_at, Math.max(at, last_seen_at), null, null];
      });
      await insertMany(transaction, 'run_history', TYPES, rows, REPLACE);
    });
  await endRuns(
    write,
    cluster,
    gone,
    () => at,
    (transaction, images) => tellGone(transaction, images, at),
  );
  return (transaction) => noteSweep(transaction, cluster, at, whole);
}

async function openRuns(read: Executor, cluster: string): Promise<Run[]> {
  return run(
    read,
    sql<Run>`select i.digest, r.image, r.first_seen_at, r.last_seen_at, r.ended_at
     from run_history r join history_images i on i.id = r.image where r.cluster = ${cluster} and r.ended_at is null`,
  );
}

async function endRuns(
  write: Writes,
  cluster: string,
  runs: readonly Run[],
  endOf: (run: Run) => number,
  tell: (transaction: Executor, images: readonly number[]) => Promise<void> = async () => undefined,
): Promise<void> {
  for (let from = 0; from < runs.length; from += RUNS) {
    const some = runs.slice(from, from + RUNS);
    await write(async (transaction) => {
      const successors = await readSuccessors(
        transaction,
        some.map(({ digest }) => digest),
        [],
      );
      const numbers = await imageNumbers(
        transaction,
        [...successors.values()].map(({ digest }) => digest),
      );
      const rows = some.map((run): Cell[] => {
        const next = successors.get(run.digest);
        const by = next === undefined ? null : (numbers.get(next.digest) ?? null);
        return [run.image, cluster, run.first_seen_at, run.last_seen_at, endOf(run), by];
      });
      await insertMany(transaction, 'run_history', TYPES, rows, REPLACE);
      await tell(
        transaction,
        some.map(({ image }) => image),
      );
    });
  }
}
