import { runText } from './dialect.ts';
import type { Store } from './store.ts';

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
    await runText(
      transaction,
      `insert into clusters (name, first_seen_at, last_seen_at) values (?, ?, ?)
       on conflict (name) do update set last_seen_at = excluded.last_seen_at`,
      [cluster, finishedAt, finishedAt],
    );
    await runText(
      transaction,
      `insert into reconcile_sweeps (cluster, started_at, finished_at, pods, unreviewed, refused) values (?, ?, ?, ?, 0, 0)`,
      [cluster, startedAt, finishedAt, pods],
    );
    for (const { namespace, workload, digest } of running)
      await runText(
        transaction,
        `insert into running_images (digest, cluster, namespace, workload, first_seen_at, last_seen_at) values (?, ?, ?, ?, ?, ?)
         on conflict (digest, cluster, namespace, workload) do update set last_seen_at = excluded.last_seen_at`,
        [digest, cluster, namespace, workload, finishedAt, finishedAt],
      );
  });
}
