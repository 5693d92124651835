import { formatTime, isDigest } from '../base/index.ts';
import type { LedgerRow, NewRow } from '../ledger/index.ts';
import type { Policy } from '../policy/index.ts';
import type { JudgedImage, JudgedPod } from './judge-running.ts';
import type { RunningPod } from './ports.ts';

/** PlannedRow is a row to append; it gets its time when it is appended. */
export type PlannedRow = Omit<NewRow, 'at'>;

/** UNREVIEWED is the reason of a row of kind `unreviewed`. */
const UNREVIEWED = 'unreviewed: the pod was created without a review';

/** What all rows of a judged pod say alike. */
function common(cluster: string, judged: JudgedPod): Partial<LedgerRow> {
  const { pod, allowed, signals, exposedBy } = judged;
  return {
    kind: 'reconcile',
    cluster: cluster === '' ? null : cluster,
    namespace: pod.namespace,
    pod: pod.name,
    pod_uid: pod.uid,
    review_allowed: allowed,
    signals,
    exposed_by: exposedBy,
    ...(pod.platform && { platform: pod.platform }),
  };
}

/** imageRow gives the row of one image; `why` says why its pod is not stopped, or null. */
export function imageRow(
  cluster: string,
  judged: JudgedPod,
  image: JudgedImage,
  why: string | null,
): PlannedRow {
  const { allowed, label, reason, policy } = image.judgement.outcome;
  return {
    ...common(cluster, judged),
    container: image.container.name,
    image: image.container.image,
    digest: image.digest !== null && isDigest(image.digest) ? image.digest : null,
    allowed,
    reason: allowed ? reason : withSuffix(reason, why),
    label,
    ...of(policy),
    get inputs() {
      return image.inputs();
    },
  };
}

/** podRow gives the row of the pod as a whole: the refusal of workload hardening, or that it has ended. */
export function podRow(cluster: string, judged: JudgedPod, why: string | null): PlannedRow {
  const { allowed, label, reason, policy } = judged.hardening;
  return {
    ...common(cluster, judged),
    allowed,
    reason: allowed ? reason : withSuffix(reason, why),
    label,
    ...of(policy),
    pod_level: true,
  };
}

/** unreviewedRow gives the row of a pod that nobody reviewed; null for one that is not judged. */
export function unreviewedRow(cluster: string, pod: RunningPod, judged: JudgedPod | null): PlannedRow {
  return {
    kind: 'unreviewed',
    cluster: cluster === '' ? null : cluster,
    namespace: pod.namespace,
    pod: pod.name,
    pod_uid: pod.uid,
    // It runs: it was allowed without a question.
    allowed: true,
    review_allowed: true,
    reason: `${UNREVIEWED} at ${formatTime(pod.createdAt)}`,
    ...of(judged?.policies[0] ?? null),
    signals: judged?.signals ?? null,
    exposed_by: judged?.exposedBy ?? null,
    pod_level: true,
  };
}

function of(policy: Policy | null): Pick<NewRow, 'policy' | 'policy_revision'> {
  return { policy: policy?.name ?? null, policy_revision: policy?.revision ?? '' };
}

function withSuffix(reason: string, why: string | null): string {
  return why === null ? reason : `${reason}; not stopped: ${why}`;
}
