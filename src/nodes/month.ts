import { formatTime } from '../base/index.ts';

/** monthOf gives the month of a time in milliseconds, `2026-10` (UTC): the period of the meter. */
export function monthOf(at: number): string {
  return formatTime(at).slice(0, 7);
}

/** monthStart gives the first millisecond of the month of a time. */
export function monthStart(at: number): number {
  return Date.parse(`${monthOf(at)}-01T00:00:00Z`);
}

/** monthEnd gives the first millisecond after the month of a time. */
export function monthEnd(at: number): number {
  // The 1st and 31 days more are in the next month, whichever it is.
  return monthStart(monthStart(at) + 31 * 86_400_000 + 1);
}
