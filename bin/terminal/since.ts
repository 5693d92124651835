import { DAY_MS, parseDuration, parseTime } from '../../src/base/index.ts';
import { clean } from './clean.ts';
import { UsageError } from './usage.ts';

/** parseSince reads a time, a day of UTC from its start, or how long ago; UTC milliseconds. Throws UsageError. */
export function parseSince(flag: string, text: string, now: number): number {
  const ago = parseDuration(text) ?? daysOf(text);
  if (ago !== null) return now - ago;
  const at = parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (!Number.isNaN(at)) return at;
  throw new UsageError(
    `${flag} ${clean(text)}: this is not a time`,
    'Write it as 2026-11-20T06:00:00Z, 2026-11-20 or 24h',
  );
}

function daysOf(text: string): number | null {
  const [, days] = /^(\d{1,2})d$/.exec(text) ?? [];
  return days === undefined ? null : Number(days) * DAY_MS;
}
