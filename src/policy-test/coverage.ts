import type { Decision } from '../decision/index.ts';
import { DENIAL_LABELS, gateOf, WORKLOAD_HARDENING } from '../decision/index.ts';
import { deniesBy, oneStepStricter, type Policy } from '../policy/index.ts';
import type { CaseResult } from './run.ts';

/** GateCoverage says how many cases a gate of a policy was asked in, and how many it denied. */
export interface GateCoverage {
  readonly label: string;
  readonly reached: number;
  readonly denied: number;
}

/** PolicyCoverage are the gates by which a policy can deny, in the order in which they are judged. */
export interface PolicyCoverage {
  readonly policy: string;
  readonly gates: readonly GateCoverage[];
}

/** coverageOf counts over all cases. A gate that the policy leaves off is not listed. */
export function coverageOf(policies: readonly Policy[], results: readonly CaseResult[]): PolicyCoverage[] {
  return policies.map((policy) => {
    const counts = new Map(activeGates(policy).map((label) => [label, { reached: 0, denied: 0 }]));
    for (const result of results) countCase(policy.name, result, counts);
    return {
      policy: policy.name,
      gates: [...counts].map(([label, { reached, denied }]) => ({ label, reached, denied })),
    };
  });
}

type Counts = Map<string, { reached: number; denied: number }>;

/** A case counts once, however many images it has. */
function countCase(policy: string, { outcome: { images, pods } }: CaseResult, counts: Counts): void {
  const reached = new Set<string>();
  const denied = new Set<string>();
  for (const { judgement } of images)
    for (const { policy: own, decision } of judgement.verdicts) {
      if (own.name !== policy) continue;
      for (const label of reachedBy(decision)) reached.add(label);
      if (decision.kind === 'refuse') denied.add(decision.label);
    }
  for (const { judgement } of pods)
    for (const { policy: own, verdict } of judgement.verdicts) {
      if (own.name !== policy) continue;
      reached.add(WORKLOAD_HARDENING);
      if (verdict === 'refuse') denied.add(WORKLOAD_HARDENING);
    }
  for (const [label, count] of counts) {
    if (reached.has(label)) count.reached += 1;
    if (denied.has(label)) count.denied += 1;
  }
}

/** A bypass asks no gate; one that lacked a fact is not known by its label here, so it counts none. */
function reachedBy(decision: Decision): readonly string[] {
  if (decision.kind === 'admit') return decision.breakGlass ? [] : DENIAL_LABELS;
  if (decision.kind === 'unknown') return [];
  return DENIAL_LABELS.slice(0, DENIAL_LABELS.indexOf(decision.label) + 1);
}

function activeGates({ spec }: Policy): string[] {
  const gates = DENIAL_LABELS.filter((label) => {
    if (label === 'context')
      return spec.deploymentContext.mode === 'Escalate' && oneStepStricter(spec) !== null;
    const [field] = gateOf(label).fields;
    return field !== undefined && deniesBy(spec, field.split('.')[1] ?? '');
  });
  return [...gates, ...(deniesBy(spec, 'workloadHardening') ? [WORKLOAD_HARDENING] : [])];
}
