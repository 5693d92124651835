import type { Subject } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';
import { GATES } from './order.ts';
import { rulesOf } from './rules.ts';
import type { Gate } from './gate.ts';

const WARNING: readonly Gate[] = GATES.filter(({ warned }: Gate) => warned !== undefined);

/**
 * warningsOf gives the sentences of what a policy warns of without refusing: a reference without a digest, known
 * exploited findings, an operating system at its end of life. In the order of the gates; unknown facts warn of
 * nothing. Ask it of an image that was admitted.
 */
export function warningsOf(policy: Policy, subject: Subject, at: number): string[] {
  const rules = rulesOf(policy);
  return WARNING.flatMap(({ judge, warned }) => {
    const spec = warned?.(rules.spec) ?? null;
    const answer = spec === null ? null : judge({ ...rules, spec }, subject, at);
    return typeof answer === 'string' ? [answer] : [];
  });
}
