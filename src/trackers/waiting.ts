import { trackerOf, type Tracker, type TrackerKind } from '../channels/index.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** WRITE_OVER is how long after it was noted a write is over in any case: it was sent within 35 s, and answered or given up within 20. */
export const WRITE_OVER = MINUTE;

/**
 * LOOK_UPS are the times after a create of unknown outcome, in milliseconds, at which the issue is looked for; it is opened again only
 * once the last has found nothing. Users reported lists that showed an issue 8, and up to 49, minutes late; an index is later than a list.
 */
const LOOK_UPS: Readonly<Record<Tracker['findsBy'], readonly [number, ...number[]]>> = {
  list: [WRITE_OVER, 5 * MINUTE, 15 * MINUTE, HOUR],
  index: [WRITE_OVER, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR],
};

/** Two look-ups are so far apart, however long the service stood still before them. */
const APART = MINUTE;

/** LookedFor is how often a create of unknown outcome was looked for; times are steady times. */
export interface LookedFor {
  /** When the create was noted. */
  readonly tick: number;
  /** Look-ups that found nothing, and when the last of them was. */
  readonly misses: number;
  readonly missedTick: number | null;
}

/** isLookedUp tells that all look-ups have found nothing, so that the issue may be opened again. */
export function isLookedUp(kind: TrackerKind, { misses }: LookedFor): boolean {
  return misses >= stepsOf(kind).length;
}

/** nextLookUp is the steady time of the next look-up. What may be opened again and cannot be is looked for again as late as the last time. */
export function nextLookUp(kind: TrackerKind, { tick, misses, missedTick }: LookedFor): number {
  const steps = stepsOf(kind);
  const step = steps[misses];
  if (step === undefined) return (missedTick ?? tick) + lastOf(kind);
  return Math.max(tick + step, missedTick === null ? -Infinity : missedTick + APART);
}

/** lastLookUp is the steady time at which the last look-up is made, if the service runs until then. */
export function lastLookUp(kind: TrackerKind, made: LookedFor): number {
  const left = stepsOf(kind).length - made.misses;
  const next = nextLookUp(kind, made);
  return Math.max(made.tick + lastOf(kind), next + APART * Math.max(0, left - 1));
}

function stepsOf(kind: TrackerKind): readonly [number, ...number[]] {
  return LOOK_UPS[trackerOf(kind).findsBy];
}

function lastOf(kind: TrackerKind): number {
  const steps = stepsOf(kind);
  return steps.at(-1) ?? steps[0];
}

/**
 * COMMENT_WAIT is how long after an attempt a comment that is not listed was not written: the comments of one issue are read by its number,
 * from no index, but a list may lag too. It is a little less than the time between two sweeps, the first of which can look.
 */
export const COMMENT_WAIT = 9 * MINUTE;

/** LOOK_BACK is how far before an attempt a look-up begins: our clock may have been wrong by a day when the attempt was noted. */
export const LOOK_BACK = 26 * HOUR;

/** retryAfter is how long a create waits after this many that failed for certain: a minute, doubled up to six hours. */
export function retryAfter(attempts: number): number {
  return attempts === 0 ? 0 : Math.min(MINUTE * 2 ** (attempts - 1), 6 * HOUR);
}

/** Longest quiet that is obeyed. */
const MAX_QUIET = 6 * HOUR;
const USUAL_QUIET = MINUTE;

/** quietUntil is the end of a pause of a channel that the provider asked for; a minute when it did not say how long. */
export function quietUntil(now: number, quietMs: number | null): number {
  return now + Math.min(Math.max(quietMs ?? USUAL_QUIET, SECOND), MAX_QUIET);
}

/** isQuiet tells whether a channel is paused. A time further off than any that is ever set was written by a wrong clock. */
export function isQuiet(notBefore: number | null, now: number): boolean {
  return notBefore !== null && now < notBefore && notBefore <= now + MAX_QUIET;
}
