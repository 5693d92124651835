import { pathOf, RESOURCES, type KubeObject, type KubernetesApi } from '../adapters/kubernetes/index.ts';
import type { Clock } from '../base/index.ts';
import type { Fences } from '../cluster/index.ts';
import { raiseClusterFence, readFence, type Store } from '../store/index.ts';

/** FencesDeps are what the fences of a cluster are raised with. */
export interface FencesDeps {
  readonly store: Store;
  readonly clusterName: string | null;
  readonly clock: Clock;
}

/** databaseFences keeps fences in the database. Several clusters may use one: a later leadership of another one is told from that of a replica. */
export function databaseFences(
  { store, clusterName, clock }: FencesDeps,
  key: () => Promise<string>,
  me: string,
): Fences {
  return {
    raise: async () => raiseClusterFence(store, clusterName ?? '', `${await key()}/${me}`, clock.now()),
    stands: async (fence) => {
      const newest = await readFence(store);
      if (newest?.fence === fence) return 'stands';
      return newest === null || newest.holder.startsWith(`${await key()}/`) ? 'raised' : 'elsewhere';
    },
  };
}

const keys = new WeakMap<KubernetesApi, string>();

/** clusterKey gives the name of the cluster, else the id of its oldest namespace, which no two clusters share. Asked once. */
export async function clusterKey(api: KubernetesApi, name: string | null): Promise<string> {
  if (name !== null) return name;
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
