import { DAY_MS, parseTime } from '../base/index.ts';

/** Period is a closed span of UTC milliseconds. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** parsePeriod reads a year, a quarter or a month (`2026`, `2026-Q3`, `2026-10`) in UTC; null for any other text. */
export function parsePeriod(text: string): Period | null {
  const [, year, quarter, month] = /^(\d{4})(?:-Q([1-4])|-(0[1-9]|1[0-2]))?$/.exec(text) ?? [];
  if (year === undefined) return null;
  const first = firstMonth(quarter, month);
  const months = monthsIn(quarter, month);
  const from = Date.UTC(Number(year), first, 1);
  return { from, to: Date.UTC(Number(year), first + months, 1) - 1 };
}

function firstMonth(quarter: string | undefined, month: string | undefined): number {
  if (quarter !== undefined) return (Number(quarter) - 1) * 3;
  return month === undefined ? 0 : Number(month) - 1;
}

function monthsIn(quarter: string | undefined, month: string | undefined): number {
  if (quarter !== undefined) return 3;
  return month === undefined ? 12 : 1;
}

/** parseEdge reads one end of a period: an RFC 3339 time, or a day, of which the start or the end is meant; NaN for any other text. */
export function parseEdge(text: string, edge: 'from' | 'to'): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return parseTime(text);
  const start = parseTime(`${text}T00:00:00Z`);
  return edge === 'from' ? start : start + DAY_MS - 1;
}

/** daysOf gives the days of a period, counted from 1970 in UTC. */
export function daysOf({ from, to }: Period): readonly number[] {
  const first = Math.floor(from / DAY_MS);
  return Array.from({ length: Math.floor(to / DAY_MS) - first + 1 }, (_, i) => first + i);
}
