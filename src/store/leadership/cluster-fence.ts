import { sql } from 'kysely';
import { clusterFence } from '../../leadership/index.ts';
import { seeCluster } from '../history/cluster-sweeps.ts';
import type { Store } from '../sql/store.ts';
import { raiseFence } from './fence.ts';
import { run } from '../sql/run.ts';

/**
 * raiseClusterFence gives a new leadership of a cluster its number, as raiseFence does, and takes the right to write of the cluster from
 * every earlier one. Clusters that use one database keep their own: what concerns only one cluster is written by its own leader, whichever
 * cluster's operator leads over the database.
 */
export function raiseClusterFence(
  store: Store,
  cluster: string,
  holder: string,
  at: number,
): Promise<number> {
  return store.write(async (transaction) => {
    const value = await raiseFence(store, holder, at);
    await run(
      transaction,
      sql`insert into fences (name, value, holder, acquired_at) values (${clusterFence(cluster, value).name}, ${value}, ${holder}, ${at})
       on conflict (name) do update set value = excluded.value, holder = excluded.holder, acquired_at = excluded.acquired_at`,
    );
    // The first time is that of the install: pods made after it should have been reviewed.
    await seeCluster(transaction, cluster, at);
    return value;
  });
}
