import { refuse, type Gate, type Undecided } from '../gate.ts';
import { endOfLife } from './end-of-life.ts';
import { knownExploited } from './known-exploited.ts';
import { threshold } from './threshold.ts';

const ESCALATED: readonly Gate[] = [threshold, knownExploited, endOfLife];

/**
 * context judges a pod with a selected signal once more, one step stricter. Of several signals the sentence names
 * the first in the order of the service. A pod whose signals were not recorded is judged as if it had none.
 */
export const context: Gate = (rules, subject, at) => {
  const { stricter } = rules;
  const present = subject.signals;
  if (stricter === null || present === null || present.length === 0 || subject.facts.scan === null)
    return null;
  const signal = rules.escalating.find((selected) => present.includes(selected));
  if (signal === undefined) return null;
  let open: Undecided | null = null;
  for (const gate of ESCALATED) {
    const answer = gate(stricter, subject, at);
    if (answer === null) continue;
    if (answer.kind === 'unknown') {
      open ??= answer; // another gate may refuse all the same, and then the missing fact changes nothing
      continue;
    }
    const by = signal === 'exposed' && subject.exposedBy !== null ? ` by ${subject.exposedBy}` : '';
    return refuse('context', `context ${signal}${by}: ${answer.sentence}`);
  }
  return open;
};
