import { parseTime } from '../base/index.ts';

/** toTime reads an RFC 3339 time; null for what is none. Milliseconds. */
export function toTime(value: unknown): number | null {
  const at = typeof value === 'string' ? parseTime(value) : NaN;
  return Number.isNaN(at) ? null : at;
}
