import { openMatcher, type Subject } from './match.ts';
import type { RuntimeMatch, RuntimePolicy, RuntimeRule } from './schema.ts';

/** RuleVerdict is what a rule says of one event; `failed` names the parts of its match that do not hold. */
export interface RuleVerdict {
  readonly name: string;
  readonly action: string;
  readonly enabled: boolean;
  readonly matches: boolean;
  readonly decides: boolean;
  readonly failed: readonly string[];
}

/** PolicyVerdict is what a runtime policy says of one event. */
export interface RuntimePolicyVerdict {
  readonly name: string;
  readonly enforcement: string;
  readonly matches: boolean;
  readonly failed: readonly string[];
}

/** Explanation says which rule decides an event, and why no other one does. */
export interface Explanation {
  readonly rule: string | null;
  readonly effect: string;
  readonly rules: readonly RuleVerdict[];
  readonly policies: readonly RuntimePolicyVerdict[];
}

/** explainEvent asks each rule and each runtime policy on its own; windows count as full. */
export function explainEvent(
  subject: Subject,
  rules: readonly RuntimeRule[],
  policies: readonly RuntimePolicy[],
): Explanation {
  const test =
    subject.kind === 'test' ? ['the event is a test of the connection, which nothing matches'] : null;
  const failedOf = (match: RuntimeMatch): readonly string[] => test ?? failures(match, subject);
  let decided: RuntimeRule | null = null;
  const verdicts = rules.map((rule): RuleVerdict => {
    const failed = failedOf(rule.match);
    const matches = failed.length === 0;
    const decides = decided === null && rule.enabled && matches;
    if (decides) decided = rule;
    const { name, action, enabled } = rule;
    return { name, action, enabled, matches, decides, failed };
  });
  const rule = decided as RuntimeRule | null;
  return {
    rule: rule?.name ?? null,
    effect: rule?.action ?? 'record',
    rules: verdicts,
    policies: policies.map(({ name, spec }) => {
      const failed = [...failedOf(spec.match)];
      const { targetNamespaces } = spec;
      if (targetNamespaces.length > 0 && !targetNamespaces.includes(subject.namespace ?? ''))
        failed.push(`targetNamespaces: it is in ${subject.namespace ?? 'no namespace'}`);
      if (subject.digest === null) failed.push('the event has no image digest, so nothing is stopped');
      if (rule?.action === 'allow') failed.push(`the rule ${rule.name} allows it`);
      return { name, enforcement: spec.enforcement, matches: failed.length === 0, failed };
    }),
  };
}

function failures(match: RuntimeMatch, subject: Subject): readonly string[] {
  const found: Readonly<Record<string, unknown>> = {
    rules: subject.rule,
    tags: subject.tags.join(', ') || 'none',
    priority: subject.priority,
    sources: subject.source,
    lastVerdict: subject.lastVerdict,
    signed: subject.signed,
    namespaces: subject.namespace ?? 'none',
  };
  const failed: string[] = [];
  for (const [name, value] of Object.entries(match)) {
    if (value === undefined || name === 'fields') continue;
    if (!openMatcher({ [name]: value })(subject)) failed.push(`${name}: it is ${String(found[name])}`);
  }
  for (const field of match.fields ?? []) {
    if (openMatcher({ fields: [field] })(subject)) continue;
    const value = subject.fields.get(field.name);
    failed.push(`fields ${field.name}: it is ${value === undefined || value === null ? 'not known' : value}`);
  }
  return failed;
}
