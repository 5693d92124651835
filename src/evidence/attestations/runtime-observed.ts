import { DAY_MS } from '../../base/index.ts';
import { counted } from '../../render/index.ts';
import { daysOf } from '../period.ts';
import type { EvidenceDay } from '../ports.ts';
import { recordedSince } from '../recorded-since.ts';
import { notInSource, stateOf, type AttestationRule } from './attestation.ts';

/** runtimeObserved: an event or a heartbeat of the runtime detector came on each day. */
export const runtimeObserved: AttestationRule = {
  id: 'runtime-observed',
  title: 'Running containers are observed',
  population: 'days of the period',
  asks: 'On each day an event or a heartbeat of the runtime detector came, from each cluster that was heard of on that day.',
  begin({ request, facts }) {
    let seen: readonly EvidenceDay[] = [];
    return {
      days(days) {
        seen = days;
      },
      end(missing) {
        if (missing.has('days')) return notInSource('record of a runtime detector');
        const byDay = Map.groupBy(seen, ({ day }) => day);
        const since = Math.min(...recordedSince(facts, 'detector').map(({ at }) => at)); // Infinity for none
        const all = daysOf(request);
        let [passed, unknown] = [0, 0];
        for (const day of all) {
          const clusters = byDay.get(day) ?? [];
          if (clusters.length > 0 && clusters.every(hasSign)) passed += 1;
          else if ((day + 1) * DAY_MS <= since && !clusters.some(hasSign)) unknown += 1;
        }
        const population = all.length;
        const rest = unknown === 0 ? '' : `; for ${counted(unknown, 'day')} nothing is recorded`;
        const because = `On ${passed} of ${counted(population, 'calendar day')} (UTC), an event or a heartbeat of the runtime detector came from each cluster${rest}.`;
        const failed = population - passed - unknown;
        return {
          state: stateOf(population, passed, failed),
          because,
          population,
          passed,
          failed,
          counts: { unknown },
        };
      },
    };
  },
};

function hasSign({ detectorEvents, detectorHeartbeats }: EvidenceDay): boolean {
  return detectorEvents + detectorHeartbeats > 0;
}
