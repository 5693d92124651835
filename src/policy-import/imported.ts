import { policySpec, type PolicySpec } from '../policy/index.ts';

/** OUTCOMES are what can become of a rule, from the best: ours denies the same, more, less, or the rule is left out. */
export const OUTCOMES = ['same', 'narrower', 'wider', 'not_covered'] as const;

/** RuleOutcome is one of them. `narrower` allows less than the original, `wider` more. */
export type RuleOutcome = (typeof OUTCOMES)[number];

/** ImportedRule is a rule of another tool and what became of it. */
export interface ImportedRule {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `ClusterPolicy disallow-latest-tag`. */
  readonly source: string;
  readonly rule: string;
  readonly outcome: RuleOutcome;
  /** Names of our policies that say it. */
  readonly policies: readonly string[];
  readonly reasons: readonly string[];
}

/** Part is what of our spec a rule becomes: every part is a policy of its own, so that all of them must hold. */
export type Part = Partial<PolicySpec>;

/** Converted is a rule before its policies have names. */
export interface Converted {
  readonly rule: string;
  readonly path: readonly PropertyKey[];
  readonly parts: readonly Part[];
  readonly narrower: readonly string[];
  readonly wider: readonly string[];
  /** Why the whole rule is left out; null where it is not. */
  readonly notCovered: string | null;
}

/** left makes a rule that is left out. */
export function left(rule: string, path: readonly PropertyKey[], why: string): Converted {
  return { rule, path, parts: [], narrower: [], wider: [], notCovered: why };
}

/** outcomeOf gives the word for a rule. */
export function outcomeOf({ parts, narrower, wider, notCovered }: Converted): RuleOutcome {
  if (notCovered !== null || parts.length === 0) return 'not_covered';
  if (wider.length > 0) return 'wider';
  return narrower.length > 0 ? 'narrower' : 'same';
}

/** NOTHING denies nothing: an imported policy says what the original said and no more. */
export const NOTHING: PolicySpec = {
  ...(policySpec.read({}) as PolicySpec),
  severityThreshold: 'NONE',
  knownExploited: 'ignore',
  endOfLifeOS: 'ignore',
  runtimeReconciliation: 'off',
};

/** Json is an object of a document. */
export type Json = Readonly<Record<string, unknown>>;

/** at gives the object below a path, `{}` where there is none. */
export function at(value: unknown, ...path: readonly string[]): Json {
  let found: unknown = value;
  for (const step of path) found = isJson(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  return isJson(found) ? found : {};
}

/** listAt gives a list below a path, empty where there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const key = path.at(-1) ?? '';
  const found = at(value, ...path.slice(0, -1))[key];
  // An entry without a value is one that says nothing.
  return Array.isArray(found) ? (found as unknown[]).map((one) => one ?? {}) : [];
}

/** textAt gives a text below a path, empty where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path.slice(0, -1))[path.at(-1) ?? ''];
  return typeof found === 'string' ? found : '';
}

/** textsIn gives the texts of a list. */
export function textsIn(list: readonly unknown[]): string[] {
  return list.filter((one) => typeof one === 'string');
}

function isJson(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
