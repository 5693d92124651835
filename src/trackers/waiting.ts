import type { TrackerKind } from '../channels/index.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** LookUpRule says when it can be known that an issue was not opened; times in milliseconds. */
export interface LookUpRule {
  /** From the attempt to the first look-up that counts: the call is over by then, and the provider lists what it made. */
  readonly wait: number;
  /** Look-ups that must find nothing before the issue may be opened again. */
  readonly misses: number;
  /** Between two of them. */
  readonly apart: number;
}

/** LOOK_UP_RULES: GitHub and GitLab list from their database, Jira searches an index that lags behind. */
export const LOOK_UP_RULES: Readonly<Record<TrackerKind, LookUpRule>> = {
  github: { wait: MINUTE, misses: 1, apart: MINUTE },
  gitlab: { wait: MINUTE, misses: 1, apart: MINUTE },
  jira: { wait: 15 * MINUTE, misses: 2, apart: MINUTE },
};

/** COMMENT_WAIT is how long after an attempt a comment that is not listed was not written: comments are read without an index. */
export const COMMENT_WAIT = MINUTE;

/** LOOK_BACK is how far before an attempt a look-up begins: our clock may have been wrong by a day when the attempt was noted. */
export const LOOK_BACK = 26 * HOUR;

/** retryAfter is how long a create waits after so many that failed for certain: a minute, doubled up to six hours. */
export function retryAfter(attempts: number): number {
  return attempts === 0 ? 0 : Math.min(MINUTE * 2 ** (attempts - 1), 6 * HOUR);
}

/** Longest quiet that is obeyed. */
const MAX_QUIET = 6 * HOUR;
const USUAL_QUIET = MINUTE;

/** quietUntil is until when a channel is left alone after the provider asked for it; a minute when it did not say how long. */
export function quietUntil(now: number, quietMs: number | null): number {
  return now + Math.min(Math.max(quietMs ?? USUAL_QUIET, SECOND), MAX_QUIET);
}

/** isQuiet tells whether a channel is to be left alone. A time further off than any that is ever set was written by a wrong clock. */
export function isQuiet(notBefore: number | null, now: number): boolean {
  return notBefore !== null && now < notBefore && notBefore <= now + MAX_QUIET;
}
