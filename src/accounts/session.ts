/** Session is a sign-in that has not ended. Times are UTC milliseconds. */
export interface Session {
  /** SHA-256 of its secret. */
  readonly idHash: Buffer;
  readonly accountId: string;
  readonly createdAt: number;
  readonly usedAt: number;
  readonly expiresAt: number;
}

const MINUTE = 60_000;

/** SESSION_LIFE and SESSION_IDLE are how long a session lasts at most, and without use, in milliseconds. */
export const SESSION_LIFE = 12 * 60 * MINUTE;
export const SESSION_IDLE = 30 * MINUTE;

/** USE_RECORDED_EVERY is how often the use of a session or a token is written down at most, in milliseconds. */
export const USE_RECORDED_EVERY = MINUTE;

/** MAX_SESSIONS is how many sessions one account may have; the oldest ends for a further one. */
export const MAX_SESSIONS = 50;

/** isAlive tells whether a session holds; a clock that was set back does not lengthen its life. */
export function isAlive({ createdAt, usedAt, expiresAt }: Session, now: number): boolean {
  return now < expiresAt && now - usedAt < SESSION_IDLE && createdAt - now < USE_RECORDED_EVERY;
}
