import { microTime } from '../base/index.ts';

/** LeaseRecord is what a Lease says. `holder` is empty once the last holder gave it back. Times are RFC 3339 texts of the holder's clock. */
export interface LeaseRecord {
  readonly holder: string;
  readonly durationSeconds: number;
  readonly acquiredAt: string | null;
  readonly renewedAt: string | null;
  readonly transitions: number;
}

/** StoredLease is a Lease with the version that a write must name. */
export interface StoredLease extends LeaseRecord {
  readonly version: string;
}

/** LeaseTimes are the periods of an election in milliseconds. */
export interface LeaseTimes {
  /** Others wait so long after they last saw the Lease change. */
  readonly lease: number;
  /** A holder that did not renew for so long leads no more. */
  readonly renewDeadline: number;
  /** Between two attempts, to renew as well as to acquire. */
  readonly retry: number;
}

/**
 * LEASE_TIMES: a leader stops 3 s before another may take over. A candidate sees the last renewal 2.4 s after it at the latest, and takes
 * the Lease 10.2 s after that: with its calls a takeover takes 13 s.
 */
export const LEASE_TIMES: LeaseTimes = { lease: 10_000, renewDeadline: 7_000, retry: 2_000 };

/** Observed is a Lease as last seen, and the monotonic time when it was first seen so. Another's clock is never asked. */
export interface Observed {
  readonly lease: StoredLease;
  readonly since: number;
}

/** observe keeps the time of a Lease that did not change since. */
export function observe(before: Observed | null, lease: StoredLease, at: number): Observed {
  return before !== null && before.lease.version === lease.version ? before : { lease, since: at };
}

/** mayTake tells whether `me` may write itself into the Lease: nobody holds it, it is its own, or it has run out. */
export function mayTake({ lease, since }: Observed, me: string, at: number, standard: number): boolean {
  return lease.holder === '' || lease.holder === me || at >= runsOutAt({ lease, since }, standard);
}

/** runsOutAt gives the monotonic time from which on a Lease of another holder may be taken. */
export function runsOutAt({ lease, since }: Observed, standard: number): number {
  // A Lease without a sane duration is nobody's reason to wait for a day.
  const { durationSeconds } = lease;
  return since + (durationSeconds >= 1 && durationSeconds <= 300 ? durationSeconds * 1000 : standard);
}

/** toHeld gives the record by which `me` holds or renews the Lease; `now` in UTC milliseconds. */
export function toHeld(before: LeaseRecord | null, me: string, now: number, lease: number): LeaseRecord {
  const mine = before?.holder === me;
  const time = microTime(now);
  return {
    holder: me,
    durationSeconds: Math.max(1, Math.ceil(lease / 1000)),
    acquiredAt: mine ? before.acquiredAt : time,
    renewedAt: time,
    transitions: (before?.transitions ?? 0) + (before !== null && !mine ? 1 : 0),
  };
}

/** toReleased gives the record of a Lease that its holder gives back: one second, so that the next need not wait. */
export function toReleased(before: LeaseRecord, now: number): LeaseRecord {
  const time = microTime(now);
  return { ...before, holder: '', durationSeconds: 1, acquiredAt: time, renewedAt: time };
}
