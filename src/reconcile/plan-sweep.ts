import { formatTime } from '../base/index.ts';
import type { JudgedPod } from './judge-running.ts';
import { workloadOf, type StopPlan } from './plan-stops.ts';
import type { Notice, PodRecord, RecordedVerdict, RunningPod } from './ports.ts';
import { imageRow, podRow, unreviewedRow, type PlannedRow } from './rows.ts';
import { mustHaveRow, type SweepRules } from './rules.ts';

/** PlannedPod is a pod with the rows that it gets. */
export interface PlannedPod {
  readonly pod: RunningPod;
  readonly rows: readonly PlannedRow[];
  readonly unreviewed: boolean;
  /** The sentence of its first refusal that is new; null for none. */
  readonly refusal: string | null;
  /** Why it is not stopped, where that is new; null for what is not, or is to be stopped. */
  readonly withheld: string | null;
}

/** SweepPlan is what a sweep records. */
export interface SweepPlan {
  /** Pods with at least one row. */
  readonly pods: readonly PlannedPod[];
  readonly notices: readonly Notice[];
  readonly unreviewed: number;
  /** Pods that would be refused now, recorded before or not. */
  readonly refused: number;
}

/** SweepFacts are what a plan is made from. */
export interface SweepFacts {
  readonly rules: SweepRules;
  /** UTC milliseconds from which on a pod should have been reviewed. */
  readonly installedAt: number;
  readonly startedAt: number;
  readonly judged: readonly JudgedPod[];
  /** Pods that are not judged: they have ended, or are being deleted. */
  readonly others: readonly RunningPod[];
  /** By uid; null while what was reviewed may still wait for the database: then nothing counts as unreviewed. */
  readonly records: ReadonlyMap<string, PodRecord> | null;
  readonly verdicts: ReadonlyMap<string, RecordedVerdict>;
  readonly withheld: StopPlan['withheld'];
}

/**
 * planSweep says which rows a sweep appends. A pod that should have been reviewed and has no row gets one of kind `unreviewed`, and
 * one of kind `reconcile` for each image, since none was ever judged. Any other container gets one when it is refused for the first
 * time, and when its verdict is another than that of its newest `reconcile` row: what stands, the ledger says already. Pure.
 */
export function planSweep(facts: SweepFacts): SweepPlan {
  const pods: PlannedPod[] = [];
  let refused = 0;
  const missing: RunningPod[] = [];
  for (const judged of facts.judged) {
    if (isRefused(judged)) refused += 1;
    const unreviewed = isMissing(facts, judged.pod);
    if (unreviewed) missing.push(judged.pod);
    const planned = planPod(facts, judged, unreviewed);
    if (planned.rows.length > 0) pods.push(planned);
  }
  for (const pod of facts.others) {
    if (!isMissing(facts, pod)) continue;
    missing.push(pod);
    const row = unreviewedRow(facts.rules.cluster, pod, null);
    pods.push({ pod, rows: [row], unreviewed: true, refusal: null, withheld: null });
  }
  return { pods, notices: noticesOf(facts, missing, pods), unreviewed: missing.length, refused };
}

function isMissing({ rules, installedAt, records }: SweepFacts, pod: RunningPod): boolean {
  return records !== null && mustHaveRow(rules, installedAt, pod) && records.get(pod.uid)?.known !== true;
}

/** Whether the policies refuse it, whatever they do about it. */
function isRefused({ images, hardening }: JudgedPod): boolean {
  return hardening.label !== null || images.some(({ judgement }) => judgement.outcome.label !== null);
}

function planPod(facts: SweepFacts, judged: JudgedPod, unreviewed: boolean): PlannedPod {
  const { pod } = judged;
  const { cluster } = facts.rules;
  const why = facts.withheld.get(pod.uid)?.why ?? null;
  const fresh: PlannedRow[] = [];
  for (const image of judged.images) {
    const row = imageRow(cluster, judged, image, why);
    if (isNews(facts.verdicts.get(`${pod.uid}/${image.container.name}`), row, unreviewed)) fresh.push(row);
  }
  if (judged.policies.length > 0 && judged.bypassed === 0) {
    const row = podRow(cluster, judged, why);
    if (isNews(facts.verdicts.get(`${pod.uid}/`), row, false)) fresh.push(row);
  }
  const first = fresh.find(({ label }) => label !== null);
  return {
    pod,
    rows: unreviewed ? [unreviewedRow(cluster, pod, judged), ...fresh] : fresh,
    unreviewed,
    refusal: first?.reason ?? null,
    withheld: first === undefined ? null : why,
  };
}

function isNews(before: RecordedVerdict | undefined, row: PlannedRow, always: boolean): boolean {
  if (before === undefined) return always || (row.label ?? null) !== null;
  return (
    before.allowed !== row.allowed ||
    before.reason !== row.reason ||
    before.label !== (row.label ?? null) ||
    before.policy !== (row.policy ?? null)
  );
}

/** Namespaces that a notification names. */
const MAX_NAMED = 50;

/** One notification reports all unreviewed pods of a sweep, one of each workload that is left running though it should not. */
function noticesOf(
  { rules, startedAt, withheld }: SweepFacts,
  missing: readonly RunningPod[],
  pods: readonly PlannedPod[],
): Notice[] {
  const { cluster } = rules;
  const at = formatTime(startedAt);
  const notices = new Map<string, Notice>();
  const first = missing.map(({ uid }) => uid).toSorted()[0];
  if (first !== undefined) {
    const namespaces = [...new Set(missing.map(({ namespace }) => namespace))].toSorted();
    const payload = { cluster, at, pods: missing.length, namespaces: namespaces.slice(0, MAX_NAMED) };
    // A sweep that broke off before the rows were appended reports the same pods again.
    const throttleKey = `pods_unreviewed ${cluster} ${missing.length} ${first}`;
    notices.set(throttleKey, { event: 'pods_unreviewed', subject: cluster, throttleKey, payload });
  }
  for (const { pod, withheld: why, refusal } of pods) {
    const candidate = withheld.get(pod.uid)?.candidate;
    if (why === null || candidate === undefined) continue;
    const { policy, digest } = candidate;
    const { namespace, workload } = pod;
    const throttleKey = `pod_stop_withheld ${cluster} ${workloadOf(pod)} ${policy.name} ${digest ?? ''}`;
    if (notices.has(throttleKey)) continue;
    const payload = { cluster, at, namespace, workload, pod: pod.name, policy: policy.name, digest };
    notices.set(throttleKey, {
      event: 'pod_stop_withheld',
      subject: [cluster, namespace, workload, policy.name].join('/'),
      throttleKey,
      payload: { ...payload, reason: refusal, withheld: why },
    });
  }
  return [...notices.values()];
}
