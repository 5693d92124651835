import { podSpec } from '../../pods/index.ts';
import { isFault } from '../../cluster/index.ts';
import type { PodStopper, Replacements } from '../../reconcile/index.ts';
import type { KubernetesApi } from './api.ts';
import { pathOf, RESOURCES, type KubeObject, type Resource } from './resources.ts';

interface Controller extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec?: unknown;
    };
  };
  readonly status?: { readonly replicas?: number };
}

const of = (apiVersion: string, kind: string, plural: string): Resource => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});

/** What makes a new pod from its template when one goes. */
const CONTROLLERS: Readonly<Record<string, Resource>> = {
  'apps/v1 ReplicaSet': RESOURCES.replicaSets,
  'apps/v1 StatefulSet': of('apps/v1', 'StatefulSet', 'statefulsets'),
  'apps/v1 DaemonSet': of('apps/v1', 'DaemonSet', 'daemonsets'),
  'v1 ReplicationController': of('v1', 'ReplicationController', 'replicationcontrollers'),
};

/** clusterReplacements reads the controller of a pod as it stands now. */
export function clusterReplacements(api: KubernetesApi): Replacements {
  return {
    async of({ namespace, controller }) {
      if (controller === null) return null;
      const resource = CONTROLLERS[`${controller.apiVersion} ${controller.kind}`];
      if (resource === undefined) return null;
      const { name, uid } = controller;
      const found = await api.find<Controller>({
        method: 'GET',
        path: pathOf(resource, { namespace, name }),
        what: `the ${controller.kind} ${namespace}/${name}`,
      });
      if (found === null || found.metadata?.uid !== uid || found.metadata.deletionTimestamp !== undefined)
        return null;
      const { spec = {}, status = {} } = found;
      // It has more than it wants: the pod that goes is not made again. A DaemonSet has no such number.
      if (controller.kind !== 'DaemonSet' && (spec.replicas ?? 1) < (status.replicas ?? 0)) return null;
      if (spec.replicas === 0) return null;
      const read = podSpec.safeParse(spec.template?.spec ?? {});
      if (!read.success) return null;
      return { labels: new Map(Object.entries(spec.template?.metadata?.labels ?? {})), spec: read.data };
    },
  };
}

/** clusterPodStopper deletes pods of the cluster, each only while it has the uid that was judged. */
export function clusterPodStopper(api: KubernetesApi): PodStopper {
  return {
    async stop({ namespace, name, uid }) {
      try {
        await api.call({
          method: 'DELETE',
          path: pathOf(RESOURCES.pods, { namespace, name }),
          body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } },
          what: `the pod ${namespace}/${name}`,
        });
        return 'stopped';
      } catch (error) {
        if (isFault(error, 'not_found') || isFault(error, 'conflict')) return 'gone';
        if (isFault(error, 'forbidden')) return 'refused';
        throw error;
      }
    },
  };
}
