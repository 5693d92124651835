import { DAY_MS, formatTime } from '../../src/base/index.ts';
import { MAX_DAYS, parseEdge, parsePeriod, type Period } from '../../src/evidence/index.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { UsageError } from '../terminal/usage.ts';
import type { EvidencePeriodFlags } from './options.ts';

/** readPeriod reads the flags of a period; null where none was given. Throws UsageError. */
export function readPeriod(flags: EvidencePeriodFlags, now: number): Period | null {
  const { period, days, from, to } = flags;
  const ways = [period, days, from ?? to].filter((flag) => flag !== undefined);
  if (ways.length > 1)
    throw new UsageError('the period is given in two ways', 'Give --period, or --days, or --from and --to');
  if (period !== undefined) {
    const named = parsePeriod(period);
    if (named === null)
      throw new UsageError(
        `--period ${period}: this is not a year, a quarter or a month`,
        'Write 2026, 2026-Q3 or 2026-10, or give --from and --to',
      );
    if (named.from <= now && now < named.to)
      throw new UsageError(
        `--period ${period} has not ended: it ends at ${formatTime(named.to)}`,
        `For the part until now, give --from ${formatTime(named.from)}`,
      );
    return named;
  }
  if (days !== undefined)
    return { from: now - parseWhole('--days', days, 1, MAX_DAYS, 'the period') * DAY_MS, to: now };
  if (from === undefined && to === undefined) return null;
  if (from === undefined)
    throw new UsageError('--to is given without --from', 'Give both ends of the period');
  return { from: edge('--from', from, 'from'), to: to === undefined ? now : edge('--to', to, 'to') };
}

function edge(flag: string, text: string, end: 'from' | 'to'): number {
  const at = parseEdge(text, end);
  if (Number.isNaN(at))
    throw new UsageError(
      `${flag} ${text}: this is neither a day nor an RFC 3339 time`,
      'Write it as 2026-07-01 or 2026-07-01T00:00:00Z',
    );
  return at;
}
