/** MAX_BODY is how many bytes a request's body may have unless its route says another bound. */
export const MAX_BODY = 1_048_576;

/** MAX_SIGN_IN_BODY is how many bytes the body of a sign-in may have: nobody is known yet, and nothing in it is long. */
export const MAX_SIGN_IN_BODY = 16_384;

/** Limits bound what a client may cost; times in milliseconds. */
export interface Limits {
  readonly requestTimeout: number;
  readonly headersTimeout: number;
  readonly keepAliveTimeout: number;
  /** A client that neither reads nor writes for so long is let go. A replay may take its time within. */
  readonly idleTimeout: number;
  /** How often the two first are looked at. */
  readonly checkingInterval: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  readonly maxConnections: number;
}

/**
 * SERVER_LIMITS bound what a client may cost before a route is asked. A whole request must arrive within a minute, its head
 * within five seconds; idle connections stay longer than any proxy before us keeps them, so that no request meets a
 * connection that is just being closed.
 */
export const SERVER_LIMITS: Limits = {
  requestTimeout: 60_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 125_000,
  idleTimeout: 600_000,
  checkingInterval: 1_000,
  maxHeaderBytes: 16_384,
  maxHeaders: 100,
  maxConnections: 2_000,
};
