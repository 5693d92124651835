/** MAX_ATTEMPTS is how often a scan is tried before the queue gives it up; the last error stays in the log. */
export const MAX_ATTEMPTS = 8;
/** CLAIM_MS is how long a worker may take for one scan before another may take it over. */
export const CLAIM_MS = 15 * 60_000;
/** MAX_SCAN_DIGESTS bounds a scan request: "at most 500 per request". */
export const MAX_SCAN_DIGESTS = 500;

const FIRST_MS = 60_000;
/** LONGEST_WAIT is the longest that the queue lets an image wait. */
export const LONGEST_WAIT = 6 * 60 * 60_000;

/** retryAt gives when a scan is due again after its n-th failed attempt: 1, 2, 4 … minutes up to 6 hours; null gives it up. */
export function retryAt(attempts: number, at: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return at + Math.min(FIRST_MS * 2 ** (attempts - 1), LONGEST_WAIT);
}
