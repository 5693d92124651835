import { parseTime, type Digest } from '../../base/index.ts';
import { parseReference } from '../../image/index.ts';
import type { RunningPods } from '../../reconcile/index.ts';
import type { ScanReport } from '../../scan/index.ts';

/** Labelled is a container as the labels of a report name it. */
interface Labelled {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly container: string;
}

/**
 * runningDigests gives the digests that a container runs in the pods of what a report names: a ReplicaSet, StatefulSet, DaemonSet, Job or
 * ReplicationController, a CronJob or Deployment as their workload, or a pod. None where that is not certain: the pods are not known in
 * full, one does not say its digest yet or runs another image, or came after the report was made.
 */
export function runningDigests(
  pods: RunningPods,
): (of: Labelled, report: ScanReport) => Promise<ReadonlySet<Digest>> {
  return async ({ namespace, kind, name, container }, { names, scan }) => {
    const running = await pods.list();
    const none = new Set<Digest>();
    if (!running.complete || scan.scannedAt === null) return none;
    const madeAt = parseTime(scan.scannedAt);
    const digests = new Set<Digest>();
    for (const pod of running.pods) {
      if (pod.namespace !== namespace || pod.finished || pod.deleting) continue;
      const { controller } = pod;
      const isOwned =
        (controller?.kind === kind && controller.name === name) ||
        pod.workload === `${kind.toLowerCase()}/${name}` ||
        (kind === 'Pod' && pod.name === name);
      if (!isOwned) continue;
      for (const one of pod.containers) {
        if (one.name !== container) continue;
        if (one.digest === null || pod.createdAt > madeAt || !names.includes(nameOf(one.image))) return none;
        digests.add(one.digest);
      }
    }
    return digests;
  };
}

/** As reports write it: `docker.io/library/nginx:latest`. */
function nameOf(image: string): string {
  const reference = parseReference(image);
  return 'fault' in reference ? '' : `${reference.name}:${reference.tag ?? 'latest'}`;
}
