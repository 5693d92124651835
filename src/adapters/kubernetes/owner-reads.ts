import type { OpenInformer } from './informer.ts';
import { controllerOf } from './pods.ts';
import { RESOURCES, type KubeObject } from './resources.ts';

/** OwnerReads are the owners of what owns pods. */
export type OwnerReads = ReturnType<typeof openOwnerReads>;

/** openOwnerReads reads the owners of what owns pods, so that a pod is told under its Deployment or CronJob. */
export function openOwnerReads(open: OpenInformer) {
  const toOwner = (object: KubeObject) => controllerOf(object);
  const replicaSets = open(RESOURCES.replicaSets, toOwner, { metadataOnly: true });
  const jobs = open(RESOURCES.jobs, toOwner, { metadataOnly: true });
  const owners = new Map([
    ['ReplicaSet', replicaSets],
    ['Job', jobs],
  ]);
  return {
    replicaSets,
    jobs,
    ownerOf: (kind: string, key: string) => owners.get(kind)?.objects.get(key) ?? null,
  };
}
