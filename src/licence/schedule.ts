import { createHash } from 'node:crypto';
import { DAY_MS } from '../base/index.ts';

/** checkOffset is at which millisecond of the day (UTC) a cluster is checked: clusters are spread over the day by their ids. */
export function checkOffset(clusterId: string): number {
  return createHash('sha256').update(clusterId).digest().readUInt32BE(0) % DAY_MS;
}

/**
 * isCheckDue tells whether the check of a day is due: the time of the day has come since the last check, whichever replica made it. A
 * cluster that was never checked is at once. A last check of more than a day ahead was of a clock that was wrong.
 */
export function isCheckDue(clusterId: string, lastAt: number | null, at: number): boolean {
  if (lastAt === null || lastAt > at + DAY_MS) return true;
  const offset = checkOffset(clusterId);
  return Math.floor((at - offset) / DAY_MS) > Math.floor((lastAt - offset) / DAY_MS);
}

/** nextCheckAt is when the next one is due. */
export function nextCheckAt(clusterId: string, lastAt: number | null, at: number): number {
  if (isCheckDue(clusterId, lastAt, at)) return at;
  const offset = checkOffset(clusterId);
  return (Math.floor(((lastAt ?? at) - offset) / DAY_MS) + 1) * DAY_MS + offset;
}

/** WARN_DAYS are how many days before its end a certificate is warned of. */
const WARN_DAYS = [1, 7, 30] as const;

/** warningOf gives which of the warnings is due, the nearest to the end; null before the first, and after the end. */
export function warningOf(notAfter: number | null, at: number): (typeof WARN_DAYS)[number] | null {
  if (notAfter === null || at >= notAfter) return null;
  return WARN_DAYS.find((days) => notAfter - at <= days * DAY_MS) ?? null;
}
