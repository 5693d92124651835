import { AUDIT_PREFIX, mayBypass, WORKLOAD_HARDENING } from '../decision/index.ts';
import type { Subject } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';

/** HardeningVerdict is what one policy says of a pod as a whole. */
export interface HardeningVerdict {
  readonly policy: Policy;
  readonly verdict: 'admit' | 'refuse';
  /** The refusal's sentence, or null. */
  readonly sentence: string | null;
  readonly breakGlass: boolean;
}

/** PodJudgement is the answer on a pod as a whole, whatever its images. */
export interface PodJudgement {
  readonly allowed: boolean;
  readonly label: typeof WORKLOAD_HARDENING | null;
  /** The recorded sentence; empty when the pod was simply admitted. */
  readonly reason: string;
  /** The refusing policy, else the first auditing refusal's, else the first governing, else null. */
  readonly policy: Policy | null;
  readonly verdicts: readonly HardeningVerdict[];
  /** What policies with `workloadHardening: warn` say. */
  readonly warnings: readonly string[];
}

/**
 * judgePod judges the signals of a pod under the policies that govern its namespace, given in name order: "the six
 * signals as findings on the pod". A refusal of an audit policy is recorded, as for images.
 */
export function judgePod(
  policies: readonly Policy[],
  signals: readonly string[],
  breakGlass: Subject['breakGlass'],
): PodJudgement {
  const sentence = `workload hardening: ${signals.join(', ')}`;
  const verdicts = policies.map((policy): HardeningVerdict => {
    const refuses = policy.spec.workloadHardening === 'block' && signals.length > 0;
    const bypassed = refuses && breakGlass !== null && mayBypass(policy, breakGlass);
    return refuses && !bypassed
      ? { policy, verdict: 'refuse', sentence, breakGlass: false }
      : { policy, verdict: 'admit', sentence: null, breakGlass: bypassed };
  });
  const refused = verdicts.filter(({ verdict }) => verdict === 'refuse');
  const enforced = refused.find(({ policy }) => policy.spec.enforcement === 'Enforce');
  const first = enforced ?? refused[0];
  const warns = signals.length > 0 && policies.some(({ spec }) => spec.workloadHardening === 'warn');
  const reason = enforced === undefined ? AUDIT_PREFIX + sentence : sentence;
  return {
    allowed: enforced === undefined,
    label: first === undefined ? null : WORKLOAD_HARDENING,
    reason: first === undefined ? '' : reason,
    policy: first?.policy ?? policies[0] ?? null,
    verdicts,
    warnings: warns ? [sentence] : [],
  };
}
