import { patchWindow } from './patch-window.ts';

/** patchWindow48Hours: what is known to be exploited ends within 48 hours. */
export const patchWindow48Hours = patchWindow({
  id: 'patch-window-48-hours',
  title: 'Known exploited vulnerabilities end within 48 hours',
  population: 'vulnerabilities known to be exploited while their image ran',
  asks: 'Each ended within 48 hours of the later of when it was first seen and when it was listed as exploited.',
  within: '48 hours',
  ms: 48 * 3_600_000,
  begins: (finding, until) => {
    const { exploited_while_running_at: running, exploited_at: listed, first_seen_at: seen } = finding;
    return running === null || running > until ? null : Math.max(listed ?? 0, seen ?? 0);
  },
});
