import { DAY_MS } from '../base/index.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After these a message is tried every hour, until 24 hours after its first try. */
const WAITS = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR] as const;

/** MESSAGE_EVERY is how long a channel has peace between two messages, in milliseconds. */
export const MESSAGE_EVERY = MINUTE;

/** TRIES_END is how long a message is tried, in milliseconds from its first try. */
export const TRIES_END = DAY_MS;

/** waitAfter gives how long the next try waits after this many, in milliseconds; 1 is the first. */
export function waitAfter(attempts: number): number {
  return WAITS[attempts - 1] ?? HOUR;
}

/** MOST_QUIET is how long a quiet is obeyed that the other side asks for, in milliseconds. */
const MOST_QUIET = 6 * HOUR;

/** nextTry gives when a message is tried next; null where it is given up. Times are UTC milliseconds. */
export function nextTry(
  attempts: number,
  firstAt: number,
  now: number,
  quietMs: number | null,
): number | null {
  const next = now + Math.max(waitAfter(attempts), Math.min(quietMs ?? 0, MOST_QUIET));
  return next > firstAt + TRIES_END ? null : next;
}
