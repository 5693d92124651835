import { sql } from 'kysely';
import { insertMany } from '../sql/dialect.ts';
import { followRuns, type SeenPart, type Writes } from './run-history.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor } from '../sql/run.ts';

/** SeenWorkload is a workload with a digest that a pod of it ran. */
export interface SeenWorkload {
  readonly namespace: string;
  /** Such as `deployment/checkout`. */
  readonly workload: string;
  readonly digest: string;
}

/** ClusterSweep is what one look at all pods of a cluster saw. Times are UTC milliseconds. */
export interface ClusterSweep {
  readonly cluster: string;
  readonly startedAt: number;
  /** When every pod had been looked at. */
  readonly finishedAt: number;
  readonly pods: number;
  readonly running: readonly SeenWorkload[];
}

/** recordSweep keeps what a whole sweep saw: which workload runs which digest, since when and until when. It counts once all is kept. */
export async function recordSweep(store: Store, sweep: ClusterSweep): Promise<void> {
  const { cluster, startedAt, finishedAt, pods, running } = sweep;
  await store.write((transaction) => seeCluster(transaction, cluster, finishedAt));
  const end = await seeRunning(store.read, (act) => store.write(act), cluster, running, finishedAt, true);
  await store.write(async (transaction) => {
    await run(
      transaction,
      sql`insert into reconcile_sweeps (cluster, started_at, finished_at, pods, unreviewed, refused) values (${cluster}, ${startedAt}, ${finishedAt}, ${pods}, 0, 0)`,
    );
    await end(transaction);
  });
}

/** seeCluster keeps that a cluster was there. */
export async function seeCluster(transaction: Executor, cluster: string, at: number): Promise<void> {
  await run(
    transaction,
    sql`insert into clusters (name, first_seen_at, last_seen_at) values (${cluster}, ${at}, ${at})
     on conflict (name) do update set last_seen_at = excluded.last_seen_at`,
  );
}

const RUNNING = {
  digest: 'text',
  cluster: 'text',
  namespace: 'text',
  workload: 'text',
  first_seen_at: 'integer',
  last_seen_at: 'integer',
} as const;

/** Lines of one transaction, which holds the lock for some milliseconds. */
const LINES = 500;

/**
 * seeRunning keeps what the workloads of a cluster were seen to run, some in each transaction; `whole` says that nothing else does. Gives
 * the act that ends the sweep, for the last transaction.
 */
export async function seeRunning(
  read: Executor,
  write: Writes,
  cluster: string,
  running: readonly SeenWorkload[],
  at: number,
  whole: boolean,
): Promise<(transaction: Executor) => Promise<void>> {
  const lines = new Map<string, [digest: string, ...(string | number)[]]>();
  for (const { namespace, workload, digest } of running)
    lines.set(`${digest} ${namespace}/${workload}`, [digest, cluster, namespace, workload, at, at]);
  const all = [...lines.values()];
  const parts: SeenPart[] = [];
  for (let from = 0; from < all.length; from += LINES) {
    const some = all.slice(from, from + LINES);
    parts.push({ digests: some.map(([digest]) => digest), keep: (transaction) => keep(transaction, some) });
  }
  const digests = running.map(({ digest }) => digest);
  return followRuns(read, write, { cluster, at, digests, whole }, parts);
}

function keep(transaction: Executor, lines: readonly (readonly (string | number)[])[]): Promise<void> {
  return insertMany(
    transaction,
    'running_images',
    RUNNING,
    lines,
    'on conflict (digest, cluster, namespace, workload) do update set last_seen_at = excluded.last_seen_at',
  );
}
