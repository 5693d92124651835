import { DAY_MS } from '../../base/index.ts';
import { counted, formatCount } from '../../render/index.ts';
import { daysOf } from '../period.ts';
import {
  nothingRaised,
  notInSource,
  provenOf,
  scopeOf,
  stateOf,
  sweptSince,
  type AttestationRule,
} from './attestation.ts';

/** scanCoverage: images that ran had a recent scan when they were seen last. */
export const scanCoverage: AttestationRule = {
  id: 'scan-coverage',
  title: 'Images that ran were scanned',
  population: 'images that ran in a cluster',
  asks: 'Each has a completed scan that was not older than 24 hours, or the rescan interval, when the image was last seen.',
  begin({ request, facts }) {
    const hours = Math.max(24, facts.rescanHours);
    const since = sweptSince(facts);
    const clusters = new Set<string | null>();
    let [population, passed, unscanned] = [0, 0, 0];
    return {
      image({ cluster, scanned_at: scanned, last_seen_at: seen }) {
        population += 1;
        clusters.add(cluster);
        if (scanned === null) unscanned += 1;
        else if ((seen ?? 0) - scanned <= hours * 3_600_000) passed += 1;
      },
      end(missing) {
        if (missing.has('image')) return notInSource('record of which images ran');
        // Which images ran is seen by sweeps.
        const first = Math.min(...[...clusters].map(since));
        const unknown = daysOf(request).filter((day) => (day + 1) * DAY_MS <= first).length;
        const counts = { unscanned, hours, unknown };
        if (population === 0) return nothingRaised('images that ran', scopeOf(request, 'cluster'), counts);
        const failed = population - passed;
        const rest = unscanned === 0 ? '' : `; ${unscanned} had no scan at all`;
        const before =
          unknown === 0 ? '' : `; for ${counted(unknown, 'day')} it is not recorded which images ran`;
        const because = `Of ${counted(population, 'image')} that ran, ${formatCount(passed)} had a completed scan of the last ${hours} hours when last seen${rest}${before}.`;
        const state = provenOf(stateOf(population, passed, failed), unknown);
        return { state, because, population, passed, failed, counts };
      },
    };
  },
};
