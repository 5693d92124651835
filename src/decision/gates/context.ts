import type { Subject } from '../../facts/index.ts';
import { gate, type Answer, type Gate, type Undecided } from '../gate.ts';
import { repairOf, SERVED_SYSTEM, SIGNAL_REMEDIES } from '../remedies.ts';
import type { Rules } from '../rules.ts';

/**
 * contextOf makes the last gate from those before it: a pod with a selected signal is judged once more by those that escalate, one step
 * stricter. Of several signals the sentence names the first in the order of the service. A pod whose signals were not recorded is judged
 * as if it had none.
 */
export const contextOf = (before: readonly Gate[]) => {
  const escalated = before.filter(({ escalates }) => escalates === true);
  return gate({
    label: 'context',
    begins: ['context '],
    fields: [
      'spec.deploymentContext.mode',
      'spec.deploymentContext.signals',
      ...new Set(escalated.flatMap(({ fields }) => fields)),
    ],
    title: 'one step stricter for how the pod is deployed',
    help: 'The pod shows a signal under spec.deploymentContext and is judged one step stricter. Take the signal away, or repair what the stricter policy finds.',
    judge: (rules, subject, at) => judge(escalated, rules, subject, at),
    remedy: (refused) => {
      const { sentence } = refused;
      const signal = /^context (\w+)/.exec(sentence)?.[1] ?? '';
      const repair = sentence.includes(': end of life OS: ') ? SERVED_SYSTEM : repairOf(refused);
      return `${repair}; or ${SIGNAL_REMEDIES[signal] ?? 'take the signal away'}`;
    },
  });
};

function judge(escalated: readonly Gate[], rules: Rules, subject: Subject, at: number): Answer {
  const { stricter } = rules;
  const present = subject.signals;
  if (stricter === null || present === null || present.length === 0 || subject.facts.scan === null)
    return null;
  const signal = rules.escalating.find((selected) => present.includes(selected));
  if (signal === undefined) return null;
  let open: Undecided | null = null;
  for (const one of escalated) {
    const answer = one.judge(stricter, subject, at);
    if (answer === null) continue;
    if (typeof answer !== 'string') {
      open ??= answer; // another gate may refuse all the same, and then the missing fact changes nothing
      continue;
    }
    const by = signal === 'exposed' && subject.exposedBy !== null ? ` by ${subject.exposedBy}` : '';
    return `context ${signal}${by}: ${answer}`;
  }
  return open;
}
