import { pathOf, RESOURCES, type KubeObject, type KubernetesApi } from '../../adapters/kubernetes/index.ts';
import type { Clock, Log } from '../../base/index.ts';
import type { Fences } from '../../leadership/index.ts';
import { keepAlive, raiseClusterFence, readAlive, readFence, type Store } from '../../store/index.ts';

/** FencesDeps are what the fences of a cluster are raised with. */
export interface FencesDeps {
  readonly store: Store;
  readonly clusterName: string | null;
  readonly clock: Clock;
  /** Milliseconds by a clock that no one sets. */
  readonly monotonic: () => number;
  readonly log: Log;
}

/** How often the leader over a database that several clusters may share notes that it is there. */
const ALIVE_EVERY_MS = 5_000;
/** One that has not done so for this long is gone, and the next one may lead. Its fence keeps it from writing, whatever it takes itself for. */
const GONE_AFTER_MS = 30_000;

/**
 * databaseFences keeps fences in the database. Several clusters may use one: a later leadership of another one is told from that of a
 * replica, and not touched as long as it shows that it is there.
 */
export function databaseFences(
  { store, clusterName, clock, monotonic, log }: FencesDeps,
  key: () => Promise<string>,
  me: string,
): Fences {
  // What another cluster's leader showed last, and since when by the own clock.
  let seen = { alive: -1, since: 0 };
  let toldAt = -Infinity;
  return {
    raise: async () => raiseClusterFence(store, clusterName ?? '', `${await key()}/${me}`, clock.now()),
    stands: async (fence) => {
      const newest = await readFence(store);
      if (newest?.fence === fence) {
        // A file has one operator: nobody waits for that.
        if (store.engine === 'postgres' && monotonic() - toldAt >= ALIVE_EVERY_MS) {
          await keepAlive(store, fence, clock.now());
          toldAt = monotonic();
        }
        seen = { alive: -1, since: 0 };
        return 'stands';
      }
      if (newest === null || newest.holder.startsWith(`${await key()}/`)) return 'raised';
      const alive = await readAlive(store);
      if (alive !== seen.alive) seen = { alive, since: monotonic() };
      if (monotonic() - seen.since < GONE_AFTER_MS) return 'elsewhere';
      log.warn('the operator of another cluster, which led over this database, is gone; this one leads', {
        holder: newest.holder,
      });
      return 'raised';
    },
  };
}

const keys = new WeakMap<KubernetesApi, string>();

/** clusterKey gives the name of the cluster, else the id of its oldest namespace, which no two clusters share. Asked once. */
export async function clusterKey(api: KubernetesApi, name: string | null): Promise<string> {
  return name ?? clusterUid(api);
}

/** clusterUid gives the UID of the namespace kube-system, which no two clusters share. Asked once. */
export async function clusterUid(api: KubernetesApi): Promise<string> {
  let key = keys.get(api);
  if (key === undefined) {
    const path = pathOf(RESOURCES.namespaces, { name: 'kube-system' });
    const { metadata } = await api.call<KubeObject>({
      method: 'GET',
      path,
      what: 'the namespace kube-system',
    });
    keys.set(api, (key = metadata?.uid ?? 'cluster'));
  }
  return key;
}
