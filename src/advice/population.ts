import { decide } from '../decision/index.ts';
import type { Subject } from '../facts/index.ts';
import { governs, policySpec, type Policy, type PolicySpec } from '../policy/index.ts';

/** Group stands for all covered rows that differ in nothing that a verdict depends on. */
export interface Group {
  readonly key: string;
  readonly namespace: string;
  readonly image: string;
  /** Null where the reference does not parse: no policy can decide it. */
  readonly subject: Subject | null;
  readonly signals: readonly string[] | null;
  /** Whether its rows were recorded as allowed. */
  readonly allowed: boolean;
  rows: number;
  readonly workloads: Set<string>;
}

/** Population is what was admitted or denied in a period, in an order that depends on its contents by itself. */
export interface Population {
  readonly groups: readonly Group[];
  /** Milliseconds. */
  readonly asOf: number;
  readonly days: number;
  readonly rows: number;
  readonly images: number;
  readonly workloads: number;
  readonly notes: readonly string[];
}

/** Verdict is what a policy says of a group. */
export type Verdict = 'allow' | 'deny' | 'unknown';

/** ALLOW_ALL is the spec that denies nothing: what each field is tried on where no base is given. */
export const ALLOW_ALL: PolicySpec = {
  ...(policySpec.read({}) as PolicySpec),
  severityThreshold: 'NONE',
  ignoreUnfixed: true,
  admissionTiming: 'AllowAndScan',
  knownExploited: 'ignore',
  endOfLifeOS: 'ignore',
};

const VERDICTS = { admit: 'allow', refuse: 'deny', unknown: 'unknown' } as const;

/** verdictsOf decides every group under a spec, the pod's hardening with it. A namespace that is not governed is allowed. Pure. */
export function verdictsOf({ groups, asOf }: Population, spec: PolicySpec): Verdict[] {
  const policy: Policy = { name: 'candidate', revision: '', spec };
  const decided = new Map<Subject, Verdict>();
  return groups.map(({ subject, namespace, signals }): Verdict => {
    if (!governs(policy, namespace)) return 'allow';
    if (subject === null) return 'unknown';
    let verdict = decided.get(subject);
    if (verdict === undefined) {
      const { kind } = decide(policy, subject, asOf);
      decided.set(subject, (verdict = VERDICTS[kind]));
    }
    if (verdict !== 'allow' || spec.workloadHardening !== 'block') return verdict;
    if (signals === null) return 'unknown';
    return signals.length > 0 ? 'deny' : 'allow';
  });
}

/** costOf counts the admissions that a spec denies or cannot decide: what is not known is never taken for fine. */
export function costOf(population: Population, spec: PolicySpec): number {
  const verdicts = verdictsOf(population, spec);
  return population.groups.reduce(
    (sum, { allowed, subject, rows }, i) =>
      allowed && subject !== null && verdicts[i] !== 'allow' ? sum + rows : sum,
    0,
  );
}
