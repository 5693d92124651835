import { LeadershipError } from '../../leadership/index.ts';
import { fenceName } from '../../reconcile/index.ts';
import { seeCluster } from '../history/cluster-sweeps.ts';
import { runText } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';
import { limitIdle, raiseFence } from './fence.ts';

type Executor = Parameters<typeof runText>[0];

/**
 * raiseClusterFence gives a new leadership of a cluster its number, as raiseFence does, and takes the right to write of the cluster
 * from every earlier one. Clusters that use one database keep their own: what concerns a cluster alone is written by its own leader,
 * whichever cluster's operator leads over the database.
 */
export function raiseClusterFence(
  store: Store,
  cluster: string,
  holder: string,
  at: number,
): Promise<number> {
  return store.write(async (transaction) => {
    const value = await raiseFence(store, holder, at);
    await runText(
      transaction,
      `insert into fences (name, value, holder, acquired_at) values (?, ?, ?, ?)
       on conflict (name) do update set value = excluded.value, holder = excluded.holder, acquired_at = excluded.acquired_at`,
      [fenceName(cluster), value, holder, at],
    );
    // The first time is that of the install: pods made after it should have been reviewed.
    await seeCluster(transaction, cluster, at);
    return value;
  });
}

/** underClusterFence runs a write of the leader of a cluster. Throws LeadershipError `lost` when it has a later leader. */
export function underClusterFence<T>(
  store: Store,
  cluster: string,
  fence: number,
  act: (transaction: Executor) => Promise<T>,
): Promise<T> {
  return store.write(async (transaction) => {
    await limitIdle(transaction);
    const held = await runText(
      transaction,
      'update fences set value = value where name = ? and value = ? returning name',
      [fenceName(cluster), fence],
    );
    if (held.length === 0)
      throw new LeadershipError('lost', 'another process leads the cluster now; this one writes nothing');
    return act(transaction);
  });
}
