import { DAY_MS, formatTime, parseTime } from '../../base/index.ts';
import type { DayCount, WhatIfResult } from '../result.ts';

/** A period has at most 90 days and may touch one more date. */
const MOST = 91;

/**
 * daysOf gives every UTC day of the period, oldest first, so that days without an admission show as such. Where a
 * limit left rows out it begins with the oldest day that has one: what was before is not known to be empty.
 */
export function daysOf({ as_of, days, by_day, truncated }: WhatIfResult): readonly DayCount[] {
  const known = new Map(by_day.map((day) => [day.date, day]));
  const end = parseTime(as_of);
  const count = Number.isNaN(end) ? 0 : Math.min(days + 1, MOST);
  const oldest = (truncated ? by_day[0]?.date : undefined) ?? '';
  const dates = Array.from({ length: count }, (_, i) => formatTime(end - i * DAY_MS).slice(0, 10));
  return [...new Set([...dates, ...known.keys()])]
    .filter((date) => date >= oldest)
    .toSorted()
    .map((date) => known.get(date) ?? { date, evaluated: 0, would_deny: 0, would_allow: 0 });
}
