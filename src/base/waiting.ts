/** How far clocks of two machines may be apart. */
const SKEW = 5 * 60_000;

/**
 * isWaiting tells whether a wait goes on that is never longer than `longest`. A time further off than any that is ever set was written by
 * a clock that was ahead, and is over. All in UTC milliseconds.
 */
export function isWaiting(until: number, now: number, longest: number): boolean {
  return now < until && until <= latestWait(now, longest);
}

/** latestWait is the latest time until which anything waits; what is beyond it was written by a clock that was ahead. */
export function latestWait(now: number, longest: number): number {
  return now + longest + SKEW;
}
