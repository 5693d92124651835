import { counted, formatCount } from '../../render/index.ts';
import {
  nothingRaised,
  provenOf,
  scopeOf,
  stateOf,
  sweptSince,
  type AttestationRule,
} from './attestation.ts';

/** admissionEnforced: pods were judged by an enforcing policy, and none ran without a review. */
export const admissionEnforced: AttestationRule = {
  id: 'admission-enforced',
  title: 'Admission is enforced',
  population: 'reviewed pods outside of exempt namespaces, and pods that ran without a review',
  asks: 'Each was judged by an enforcing policy, and none ran without a review.',
  begin({ request, facts }) {
    const since = sweptSince(facts);
    let [population, passed, unreviewed, bypassed, audited, unknown] = [0, 0, 0, 0, 0, 0];
    return {
      pod({ decision, enforced, cluster, time }) {
        if (decision === 'exempt') return;
        population += 1;
        if ((time ?? 0) < since(cluster)) unknown += 1;
        if (decision === 'unreviewed') unreviewed += 1;
        else if (decision === 'bypassed') bypassed += 1;
        else if (enforced === true) passed += 1;
        else audited += 1;
      },
      end() {
        const counts = { unreviewed, bypassed, not_enforced: audited, unknown };
        if (population === 0)
          return nothingRaised('reviewed pods', scopeOf(request, 'cluster and namespace'), counts);
        const rest = [
          [audited, 'under no enforcing policy'],
          [bypassed, 'by break-glass'],
          [unreviewed, 'without a review'],
        ] as const;
        const others = rest.flatMap(([count, how]) =>
          count === 0 ? [] : [`${formatCount(count)} ran ${how}`],
        );
        const because = `Of ${counted(population, 'pod')}, ${formatCount(passed)} ${passed === 1 ? 'was' : 'were'} judged by an enforcing policy${others.map((text) => `; ${text}`).join('')}.${unsweptText(unknown)}`;
        const failed = population - passed;
        const state = provenOf(stateOf(population, passed, failed), unknown);
        return { state, because, population, passed, failed, counts };
      },
    };
  },
};

/** Only a sweep finds a pod that ran without a review: before the first one of a cluster, such pods are in no number. */
function unsweptText(pods: number): string {
  return pods === 0
    ? ''
    : ` ${counted(pods, 'pod')} ran before the first recorded sweep (check of running pods). Pods that ran then without a review may not be counted.`;
}
