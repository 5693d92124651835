import type { Subject } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';
import { digest } from './gates/digest.ts';
import { endOfLife } from './gates/end-of-life.ts';
import { knownExploited } from './gates/known-exploited.ts';
import type { Gate } from './gate.ts';
import { rulesOf } from './rules.ts';

/**
 * warningsOf gives the sentences of what a policy warns of without refusing: a reference without a digest, known
 * exploited findings, an operating system at its end of life. In the order of the gates; unknown facts warn of
 * nothing. Ask it of an image that was admitted.
 */
export function warningsOf(policy: Policy, subject: Subject, at: number): string[] {
  const rules = rulesOf(policy);
  const { spec } = rules;
  const asked: readonly (readonly [boolean, Gate])[] = [
    [spec.digestEnforcement === 'warn', digest],
    [spec.knownExploited === 'warn', knownExploited],
    [spec.endOfLifeOS === 'warn', endOfLife],
  ];
  const refusing = {
    ...rules,
    spec: { ...spec, digestEnforcement: 'require', knownExploited: 'block', endOfLifeOS: 'block' } as const,
  };
  return asked.flatMap(([warns, gate]) => {
    const answer = warns ? gate(refusing, subject, at) : null;
    return answer?.kind === 'refuse' ? [answer.sentence] : [];
  });
}
