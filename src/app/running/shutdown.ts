/** CALLS_MS is how long calls under way may take to end. */
export const CALLS_MS = 20_000;
/** So long after the signal the spool is put back no longer: what is left of the time belongs to the checkpoint. */
const SPOOL_END = 42_000;
/** END_MS is when an end that hangs is given up, before a cluster kills the pod: it gives 60 seconds. */
export const END_MS = 55_000;

/**
 * spoolTime gives for how many milliseconds the spool may be put back, this many after the signal; an end at once waits for nothing. Pure.
 */
export function spoolTime(callsMs: number, passed: number): number {
  return callsMs === 0 ? 0 : Math.max(0, SPOOL_END - passed);
}
