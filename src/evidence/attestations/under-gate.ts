import { counted, formatCount } from '../../render/index.ts';
import type { Asked } from '../governing.ts';
import { nothingRaised, scopeOf, stateOf, type AttestationRule } from './attestation.ts';

/** underGate makes the attestation that each admitted image was admitted under a gate that asks for something. */
export function underGate(
  id: string,
  title: string,
  gate: Exclude<keyof Asked, 'enforced'>,
  asks: string,
): AttestationRule {
  return {
    id,
    title,
    population: 'admitted images',
    asks: `Each was admitted under an enforcing policy that ${asks}.`,
    begin({ request }) {
      let [population, passed, bypassed] = [0, 0, 0];
      return {
        admitted(image) {
          population += 1;
          if (image.bypassed) bypassed += 1;
          else if (image.asked[gate]) passed += 1;
        },
        end() {
          if (population === 0)
            return nothingRaised('admitted images', scopeOf(request, 'cluster and namespace'), { bypassed });
          const failed = population - passed;
          const left = failed === 0 ? '' : `; ${formatCount(failed)} ${failed === 1 ? 'was' : 'were'} not`;
          const by = bypassed === 0 ? '' : ` (${formatCount(bypassed)} by break-glass)`;
          const because = `Of ${counted(population, 'image')} in admitted pods, ${formatCount(passed)} ${passed === 1 ? 'was' : 'were'} admitted under an enforcing policy that ${asks}${left}${by}.`;
          return {
            state: stateOf(population, passed, failed),
            because,
            population,
            passed,
            failed,
            counts: { bypassed },
          };
        },
      };
    },
  };
}
