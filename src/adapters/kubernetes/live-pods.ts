import { isFault } from '../../cluster/index.ts';
import { parseTime } from '../../base/index.ts';
import type { LivePods } from '../../runtime/index.ts';
import type { KubernetesApi } from './api.ts';
import { toHeldPod } from './pods.ts';
import { pathOf, RESOURCES, type KubeObject } from './resources.ts';

/** clusterLivePods reads single pods past every cache, and deletes each only while it is what was read. */
export function clusterLivePods(api: KubernetesApi): LivePods {
  return {
    async read(namespace, name) {
      const path = pathOf(RESOURCES.pods, { namespace, name });
      const object = await api.find<KubeObject>({
        method: 'GET',
        path,
        what: `the pod ${namespace}/${name}`,
      });
      if (object === null) return null;
      const pod = toHeldPod(object);
      // What cannot be read runs nothing that is known, so that it is not stopped.
      const {
        uid = '',
        resourceVersion: version = '',
        deletionTimestamp,
        creationTimestamp,
      } = object.metadata ?? {};
      return {
        uid,
        version,
        deleting: deletionTimestamp !== undefined,
        mirror: pod?.mirror ?? false,
        createdAt: parseTime(creationTimestamp ?? '') || 0,
        containers: containerIds(object),
        digests: new Set(pod?.containers.flatMap(({ digest }) => digest ?? []) ?? []),
        owner: pod?.controller ?? null,
      };
    },
    async remove({ namespace, name }, { uid, version }, graceSeconds) {
      const preconditions = { uid, resourceVersion: version };
      const grace = graceSeconds !== null && { gracePeriodSeconds: graceSeconds };
      try {
        await api.call({
          method: 'DELETE',
          path: pathOf(RESOURCES.pods, { namespace, name }),
          body: { apiVersion: 'v1', kind: 'DeleteOptions', ...grace, preconditions },
          what: `the pod ${namespace}/${name}`,
        });
        return 'stopped';
      } catch (error) {
        if (isFault(error, 'not_found')) return 'gone';
        if (isFault(error, 'conflict')) return 'changed';
        if (isFault(error, 'forbidden')) return 'refused';
        throw error;
      }
    },
  };
}

interface Status {
  readonly containerID?: string;
  readonly lastState?: { readonly terminated?: { readonly containerID?: string } };
}

const LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

/** `containerd://3f8a…`, of each container and of the one that it replaced when it was restarted. */
function containerIds(object: KubeObject): readonly string[] {
  const { status = {} } = object as { readonly status?: Partial<Record<(typeof LISTS)[number], Status[]>> };
  const ids = LISTS.flatMap((list) => status[list] ?? []).flatMap(({ containerID, lastState }) => [
    ...[containerID, lastState?.terminated?.containerID],
  ]);
  return ids.flatMap((id) => (id === undefined || id === '' ? [] : id.replace(/^[a-z0-9.+-]+:\/\//, '')));
}
