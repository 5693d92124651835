/** ListenerLimits bound what calls of the webhook may take; milliseconds and bytes. */
export interface ListenerLimits {
  /** Reviews that are being answered; more are turned away at once. */
  readonly reviews: number;
  /**
   * Milliseconds and reviews of one turn of the event loop; what arrived with them beyond both is turned away. Time by itself proves
   * nothing: the process may have had no processor for a while.
   */
  readonly turn: number;
  readonly turnReviews: number;
  /** Bytes of bodies that are being read or answered. */
  readonly bytes: number;
  /** Milliseconds after which a body that is still being read makes room for others. */
  readonly slowBody: number;
  /** From this size on a body is answered one at a time, since reading it holds everything else up. */
  readonly largeBody: number;
  /** Milliseconds for which it may wait for its turn; the API server gives up after five seconds. */
  readonly largeWait: number;
  /** Each takes about 60 KB. */
  readonly connections: number;
  readonly handshakeTimeout: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  /** Above the idle time of the API server's own connections (90 s), so that it never writes into one that is being closed. */
  readonly keepAliveTimeout: number;
  readonly checkingInterval: number;
}

/**
 * LISTENER_LIMITS: with a database that hangs, a review takes a second until the spool has it, so that twice the rated 500 a second
 * fit.
 */
export const LISTENER_LIMITS: ListenerLimits = {
  reviews: 1000,
  turn: 200,
  turnReviews: 100,
  bytes: 64 * 1024 * 1024,
  slowBody: 1_000,
  largeBody: 256 * 1024,
  largeWait: 1_000,
  connections: 2000,
  handshakeTimeout: 5_000,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 120_000,
  checkingInterval: 1_000,
};
