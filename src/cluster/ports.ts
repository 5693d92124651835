import type { LeaseRecord, StoredLease } from './lease.ts';

/** LeaseStore keeps one Lease. A write that met another one since gives null; other faults throw ClusterError. */
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

/** ObjectRef names an object of the cluster. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for an object of the whole cluster. */
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
}

/** ClusterEvent is something that happened to an object, as `kubectl describe` shows it. */
export interface ClusterEvent {
  readonly regarding: ObjectRef;
  readonly type: 'Normal' | 'Warning';
  /** Why, in one word in UpperCamelCase: `Unreviewed`. */
  readonly reason: string;
  /** What was done or attempted, likewise: `Sweep`. */
  readonly action: string;
  /** A sentence for people. Cut at 1024 bytes. */
  readonly note: string;
  /** Whether it is told however many of its kind there are: for what happens once to an object, and is counted by who tells it. */
  readonly always?: boolean;
}

/**
 * ClusterEvents takes events. It never fails its caller and never waits: equal events within some minutes become one with a count,
 * and what is too much is dropped and counted.
 */
export interface ClusterEvents {
  /** `dropped` is called, at once or later, when people do not get to see the event; for who would tell of it again. */
  emit(event: ClusterEvent, dropped?: () => void): void;
}
