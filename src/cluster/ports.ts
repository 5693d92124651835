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
  /** `dropped` is called, at once or later, when people do not get to see the event; for who would report it again. */
  emit(event: ClusterEvent, dropped?: () => void): void;
}
