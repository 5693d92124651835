import type { PolicyVerdict } from '../decision/index.ts';
import type { Policy } from '../policy/index.ts';
import { judgeReplacement, type KnownReplacement } from './judge-replacement.ts';
import type { JudgeContext, JudgedPod } from './judge-running.ts';
import type { EarlierStop, RunningPod } from './ports.ts';
import { covers, mayStop, type SweepRules } from './rules.ts';

/** StopCandidate is a pod that a policy would have stopped. */
export interface StopCandidate {
  readonly judged: JudgedPod;
  readonly policy: Policy;
  /** What was refused; null for the pod as a whole. */
  readonly digest: string | null;
}

/** StopPlan says of each candidate what becomes of it. */
export interface StopPlan {
  readonly stop: readonly StopCandidate[];
  /** By uid: why the pod is left running. */
  readonly withheld: ReadonlyMap<string, { readonly candidate: StopCandidate; readonly why: string }>;
  /** Left for the next sweep, so that a workload does not lose all its pods at once. */
  readonly putOff: number;
}

/**
 * stopCandidates gives the pods that enforcement concerns: refused by a policy that enforces and reconciles by `enforce`, in a
 * namespace that the webhook covers, so never in the operator's own. "Enforcement needs both a policy set to enforce and
 * `rbac.allowEnforce: true`."
 */
export function stopCandidates(judged: readonly JudgedPod[], rules: SweepRules): StopCandidate[] {
  if (!rules.allowEnforce) return [];
  return judged.flatMap((one) => {
    if (!covers(rules, one.pod.namespace)) return [];
    const found = actingRefusal(one);
    return found === null ? [] : [{ judged: one, ...found }];
  });
}

/** The first refusal of a policy that may stop: of the images in their order, then of the pod as a whole. */
function actingRefusal({ images, hardening }: JudgedPod): Pick<StopCandidate, 'policy' | 'digest'> | null {
  for (const { judgement, digest } of images) {
    const found = judgement.verdicts.find((verdict) => acts(verdict.policy) && refuses(verdict));
    if (found !== undefined) return { policy: found.policy, digest };
  }
  const found = hardening.verdicts.find(({ policy, verdict }) => acts(policy) && verdict === 'refuse');
  return found === undefined ? null : { policy: found.policy, digest: null };
}

function acts({ spec }: Policy): boolean {
  return spec.enforcement === 'Enforce' && spec.runtimeReconciliation === 'enforce';
}

function refuses({ decision }: PolicyVerdict): boolean {
  return decision.kind === 'refuse';
}

/**
 * planStops says which candidates are stopped. "Never on a workload whose replacement would not be admitted": one whose replacement
 * is not known to be admitted is withheld, and so is one whose replacement ran the same image again after an earlier stop.
 * `replacements` are by uid of the pod: null where nothing surely would be made, absent where that could not be read; `running` counts the pods of each workload.
 */
export function planStops(
  candidates: readonly StopCandidate[],
  replacements: ReadonlyMap<string, KnownReplacement | null>,
  earlier: readonly EarlierStop[],
  running: ReadonlyMap<string, number>,
  quota: (name: string) => string | null,
  context: JudgeContext,
): StopPlan {
  const stop: StopCandidate[] = [];
  const withheld = new Map<string, { candidate: StopCandidate; why: string }>();
  const stopped = new Map<string, number>();
  let putOff = 0;
  const stoppedAt = new Map(earlier.map(({ namespace, digest, at }) => [`${namespace} ${digest}`, at]));
  for (const candidate of candidates) {
    const { pod } = candidate.judged;
    const before = stoppedAt.get(`${pod.namespace} ${candidate.digest}`);
    const why =
      before !== undefined && pod.createdAt >= before
        ? 'the pod made in the place of one that was stopped ran the same image again'
        : whyNot(candidate, replacements.get(pod.uid), quota, context);
    if (why !== null) {
      withheld.set(pod.uid, { candidate, why });
      continue;
    }
    const workload = workloadOf(pod);
    const count = stopped.get(workload) ?? 0;
    if (count >= mayStop(running.get(workload) ?? 1)) putOff += 1;
    else {
      stopped.set(workload, count + 1);
      stop.push(candidate);
    }
  }
  return { stop, withheld, putOff };
}

function whyNot(
  { judged, policy }: StopCandidate,
  replacement: KnownReplacement | null | undefined,
  quota: (name: string) => string | null,
  context: JudgeContext,
): string | null {
  const { allowed, groups } = policy.spec.breakGlass;
  // Its review may have found neither database nor spool: then no replica can tell.
  if (judged.unproven && allowed && groups.length > 0)
    return 'break-glass may have admitted it, and no review of it is recorded';
  if (judged.pod.mirror) return 'its node runs it, whatever the API server is told';
  if (replacement === undefined) return 'what would replace it could not be read';
  if (replacement === null) return 'nothing would surely replace it';
  return judgeReplacement(judged, replacement, quota, context);
}

/** workloadOf names the workload of a pod within its cluster. */
export function workloadOf({ namespace, workload }: Pick<RunningPod, 'namespace' | 'workload'>): string {
  return `${namespace}/${workload}`;
}
