import { counted } from '../../render/index.ts';
import type { Revision } from '../governing.ts';
import { nothingRaised, stateOf, type AttestationRule } from './attestation.ts';

/** overRevisions makes an attestation that each revision that governed in the period does something. */
export function overRevisions(
  rule: Pick<AttestationRule, 'id' | 'title' | 'population' | 'asks'>,
  does: string,
  isMeant: (revision: Revision) => boolean,
  passes: (revision: Revision) => boolean,
): AttestationRule {
  return {
    ...rule,
    begin({ governing, request }) {
      return {
        end() {
          const all = governing.in(request).filter(isMeant);
          if (all.length === 0) return nothingRaised(rule.population, '');
          const passed = all.filter(passes).length;
          const because = `Of ${counted(all.length, 'policy revision')} (${rule.population}), ${passed} ${passed === 1 ? 'does ' : ''}${does}.`;
          return {
            state: stateOf(all.length, passed, all.length - passed),
            because,
            population: all.length,
            passed,
            failed: all.length - passed,
          };
        },
      };
    },
  };
}
