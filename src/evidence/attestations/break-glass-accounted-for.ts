import { counted, formatCount } from '../../render/index.ts';
import type { BypassRecord } from '../records.ts';
import { JUDGED_AGAIN_MS } from '../row-walk.ts';
import { nothingRaised, scopeOf, stateOf, type AttestationRule } from './attestation.ts';

/** breakGlassAccountedFor: each bypass has a reason and a person, and its images were judged again or triaged. */
export const breakGlassAccountedFor: AttestationRule = {
  id: 'break-glass-accounted-for',
  title: 'Break-glass is accounted for',
  population: 'bypasses',
  asks: 'Each has a reason and a person, and its images were judged again or triaged within 7 days.',
  begin({ request, at: now }) {
    let [population, passed, failed, pending] = [0, 0, 0, 0];
    let bypass: BypassRecord[] = [];
    const known = Math.min(request.to, now);
    const endBypass = (): void => {
      const [first] = bypass;
      if (first === undefined) return;
      population += 1;
      const named = bypass.every(({ reason, requester }) => reason !== null && requester !== null);
      const open = bypass.filter((one) => !isFollowed(one));
      if (named && open.length === 0) passed += 1;
      else if (named && open.every(({ time }) => (time ?? 0) + JUDGED_AGAIN_MS > known)) pending += 1;
      else failed += 1;
      bypass = [];
    };
    return {
      bypass(record) {
        if (bypass[0] !== undefined && (record.review === null || bypass[0].review !== record.review))
          endBypass();
        bypass.push(record);
      },
      end() {
        endBypass();
        const counts = { pending };
        if (population === 0)
          return nothingRaised('bypasses', scopeOf(request, 'cluster and namespace'), counts);
        const due = pending === 0 ? '' : `; for ${pending} the 7 days reach beyond the period`;
        const because = `Of ${counted(population, 'bypass', 'bypasses')}, ${formatCount(passed)} ${passed === 1 ? 'has' : 'have'} a reason and a person, and all of the images were judged again or triaged within 7 days${due}.`;
        return { state: stateOf(population, passed, failed), because, population, passed, failed, counts };
      },
    };
  },
};

function isFollowed({ time, judged_again_at: again, triaged_at: triaged }: BypassRecord): boolean {
  return [again, triaged].some((at) => at !== null && at - (time ?? 0) <= JUDGED_AGAIN_MS);
}
