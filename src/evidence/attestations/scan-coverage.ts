import { counted, formatCount } from '../../render/index.ts';
import { nothingRaised, notInSource, stateOf, type AttestationRule } from './attestation.ts';

/** scanCoverage: images that ran had a recent scan when they were seen last. */
export const scanCoverage: AttestationRule = {
  id: 'scan-coverage',
  title: 'Images that ran were scanned',
  population: 'images that ran in a cluster',
  asks: 'Each has a completed scan that was not older than 24 hours, or the rescan interval, when the image was last seen.',
  begin({ facts }) {
    const hours = Math.max(24, facts.rescanHours);
    let [population, passed, unscanned] = [0, 0, 0];
    return {
      image({ scanned_at: scanned, last_seen_at: seen }) {
        population += 1;
        if (scanned === null) unscanned += 1;
        else if ((seen ?? 0) - scanned <= hours * 3_600_000) passed += 1;
      },
      end(missing) {
        if (missing.has('image')) return notInSource('record of which images ran');
        const counts = { unscanned, hours };
        if (population === 0) return nothingRaised('images that ran', counts);
        const failed = population - passed;
        const rest = unscanned === 0 ? '' : `; ${unscanned} had no scan at all`;
        const because = `Of ${counted(population, 'image')} that ran, ${formatCount(passed)} had a completed scan of the last ${hours} hours when last seen${rest}.`;
        return { state: stateOf(population, passed, failed), because, population, passed, failed, counts };
      },
    };
  },
};
