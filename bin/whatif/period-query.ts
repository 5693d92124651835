import { DAY_MS, formatTime } from '../../src/base/index.ts';

/** periodQuery asks the export of a service for the days before a time; null is the service's own now. */
export function periodQuery(asOf: number | null, days: number): Readonly<Record<string, string | number>> {
  return {
    format: 'gz',
    ...(asOf === null ? { days } : { from: formatTime(asOf - days * DAY_MS), to: formatTime(asOf) }),
  };
}
