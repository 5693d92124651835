import type { LeaseRecord, StoredLease } from './lease.ts';

/** LeaseStore keeps one Lease. A write that met another one since gives null; other faults are thrown as they come. */
export interface LeaseStore {
  /** Null where there is none. */
  read(timeoutMs: number): Promise<StoredLease | null>;
  create(lease: LeaseRecord, timeoutMs: number): Promise<StoredLease | null>;
  /** Writes if the Lease still has this version. */
  replace(lease: LeaseRecord, version: string, timeoutMs: number): Promise<StoredLease | null>;
}

/** Fences give leaderships their numbers, in the database whose writes they guard. */
export interface Fences {
  /** Gives a new leadership its number, and takes the right to write from every earlier one. */
  raise(): Promise<number>;
  /**
   * Whether no later leadership was given a number; `elsewhere` when the later one is of another cluster that uses the same
   * database.
   */
  stands(fence: number): Promise<'stands' | 'raised' | 'elsewhere'>;
}

/** ElectionClock gives the present as Clock does, a time that no one sets, and waiting. */
export interface ElectionClock {
  now(): number;
  /** Milliseconds since any beginning of this process. */
  monotonic(): number;
  /** Resolves after the time, or as soon as the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
