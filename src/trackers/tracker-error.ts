import { IpoError, isIpoError, type ErrorCode } from '../base/index.ts';
import { hasLostLead, type LeadershipError } from '../leadership/index.ts';

/**
 * TRACKER_FAULTS lists what can go wrong with a call to a tracker, each with the service's code for it: `address` an address that may
 * not be called, `network` no connection (DNS, refused, TLS), `timeout` and `reset` no answer after the request was sent,
 * `unauthorized` 401, `forbidden` 403, `not_found` 404, `gone` 410, `moved` any 3xx, `invalid` 400, 413 and 422, `rate_limited` 429 and
 * the 403 that means the same, `server` 5xx, `unreadable` an answer that is not what the provider's API says, `stopped` a write that
 * was held back before its first byte, since this process leads no more or shuts down.
 */
const TRACKER_FAULTS = {
  address: 'invalid_config',
  network: 'network',
  timeout: 'network',
  reset: 'network',
  unauthorized: 'bad_credentials',
  forbidden: 'forbidden',
  not_found: 'not_found',
  gone: 'not_found',
  moved: 'invalid_config',
  invalid: 'invalid_request',
  rate_limited: 'rate_limited',
  server: 'server_fault',
  unreadable: 'server_fault',
  stopped: 'unavailable',
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** TrackerFault is one of them. */
export type TrackerFault = keyof typeof TRACKER_FAULTS;

/** TrackerErrorOptions say what is known of a call that failed. */
export interface TrackerErrorOptions {
  /** `no`: the tracker has certainly done nothing. `unknown`: it may have done what was asked. Of a read always `no`. */
  readonly happened: 'no' | 'unknown';
  /** Milliseconds for which the provider asked for a pause, or null when it did not say. */
  readonly quietMs?: number | null;
  /** What the user should do, a whole sentence without a period. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/**
 * TrackerError is a call to a tracker that failed. `message` is one sentence for the user (what, where, the provider's own words cut
 * short), fit for a row's `last_error`: neither it nor `cause` holds a secret.
 */
export class TrackerError extends IpoError {
  override readonly name = 'TrackerError';
  readonly fault: TrackerFault;
  readonly happened: 'no' | 'unknown';
  readonly quietMs: number | null;

  constructor(
    fault: TrackerFault,
    message: string,
    { happened, quietMs = null, hint, cause }: TrackerErrorOptions,
  ) {
    super(TRACKER_FAULTS[fault], message, {
      hint,
      cause,
      retryAfter: quietMs === null ? undefined : Math.max(1, Math.ceil(quietMs / 1000)),
    });
    this.fault = fault;
    this.happened = happened;
    this.quietMs = quietMs;
  }
}

/** isStopped tells that nothing may be written any more, so that the whole run ends. */
export function isStopped(error: unknown): error is TrackerError | LeadershipError {
  return hasLostLead(error) || (error instanceof TrackerError && error.fault === 'stopped');
}

/** sentenceOf gives what a row keeps of an error: the sentence of an expected fault; a defect's own text stays in the log. */
export function sentenceOf(error: unknown): string {
  return isIpoError(error) ? error.message : 'a defect of the service; see its log';
}
