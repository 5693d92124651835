import { formatTime } from '../base/index.ts';
import type { Spool } from './ports.ts';

/** Left is what waits in a spool, as logs tell it. */
export interface Left {
  readonly reviews: number;
  readonly rows: number;
  /** Time of the oldest row, RFC 3339. */
  readonly since: string;
  /** Where the spool is. */
  readonly spool: string;
}

/** leftIn tells what waits in a spool; null when nothing does. */
export function leftIn(spool: Pick<Spool, 'rows' | 'place' | 'entries'>): Left | null {
  const since = oldestIn(spool);
  if (since === null) return null;
  let reviews = 0;
  for (const _ of spool.entries()) reviews += 1;
  return { reviews, rows: spool.rows, since: formatTime(since), spool: spool.place };
}

/** oldestIn gives the time of the first row that waits, in UTC milliseconds; null when none does. */
export function oldestIn(spool: Pick<Spool, 'entries'>): number | null {
  for (const { rows } of spool.entries()) return rows[0]?.at ?? null;
  return null;
}
