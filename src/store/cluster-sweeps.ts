import { insertMany, runText } from './dialect.ts';
import { followRuns } from './run-history.ts';
import type { Store } from './store.ts';

type Executor = Parameters<typeof runText>[0];

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

/** recordSweep keeps what a whole sweep saw, in one transaction: which workload runs which digest, since when and until when. */
export async function recordSweep(store: Store, sweep: ClusterSweep): Promise<void> {
  const { cluster, startedAt, finishedAt, pods, running } = sweep;
  await store.write(async (transaction) => {
    await seeCluster(transaction, cluster, finishedAt);
    await runText(
      transaction,
      `insert into reconcile_sweeps (cluster, started_at, finished_at, pods, unreviewed, refused) values (?, ?, ?, ?, 0, 0)`,
      [cluster, startedAt, finishedAt, pods],
    );
    await seeRunning(transaction, cluster, running, finishedAt, true);
  });
}

/** seeCluster keeps that a cluster was there. */
export async function seeCluster(transaction: Executor, cluster: string, at: number): Promise<void> {
  await runText(
    transaction,
    `insert into clusters (name, first_seen_at, last_seen_at) values (?, ?, ?)
     on conflict (name) do update set last_seen_at = excluded.last_seen_at`,
    [cluster, at, at],
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

/** Lines of one statement. */
const LINES = 1000;

/** seeRunning keeps what the workloads of a cluster were seen to run; `whole` says that nothing else does. */
export async function seeRunning(
  transaction: Executor,
  cluster: string,
  running: readonly SeenWorkload[],
  at: number,
  whole: boolean,
): Promise<void> {
  const digests = running.map(({ digest }) => digest);
  await followRuns(transaction, { cluster, at, digests, whole }, () =>
    keepRunning(transaction, cluster, running, at),
  );
}

async function keepRunning(
  transaction: Executor,
  cluster: string,
  running: readonly SeenWorkload[],
  at: number,
): Promise<void> {
  const rows = new Map<string, (string | number)[]>();
  for (const { namespace, workload, digest } of running)
    rows.set(`${digest} ${namespace}/${workload}`, [digest, cluster, namespace, workload, at, at]);
  const all = [...rows.values()];
  for (let from = 0; from < all.length; from += LINES) {
    await insertMany(
      transaction,
      'running_images',
      RUNNING,
      all.slice(from, from + LINES),
      'on conflict (digest, cluster, namespace, workload) do update set last_seen_at = excluded.last_seen_at',
    );
  }
}
