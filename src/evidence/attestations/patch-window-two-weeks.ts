import { DAY_MS } from '../../base/index.ts';
import { patchWindow } from './patch-window.ts';

/** patchWindowTwoWeeks: other critical and high findings with a fix end within two weeks. */
export const patchWindowTwoWeeks = patchWindow({
  id: 'patch-window-two-weeks',
  title: 'Critical and high vulnerabilities end within two weeks',
  population: 'other critical and high vulnerabilities with a fixed version',
  asks: 'Each ended within 14 days of the later of when it was first seen and when a fixed version was known.',
  within: '14 days',
  ms: 14 * DAY_MS,
  begins: (finding, until) => {
    const {
      worst,
      fixable_at: fixable,
      exploited_while_running_at: exploited,
      first_seen_at: seen,
    } = finding;
    if (worst !== 'CRITICAL' && worst !== 'HIGH') return null;
    if (fixable === null || fixable > until || (exploited !== null && exploited <= until)) return null;
    return Math.max(seen ?? 0, fixable);
  },
});
