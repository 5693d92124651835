import type { StopAnswer } from './guard-stop.ts';

/** StopEvent is what a stop needs of a stored event. */
export interface StopEvent {
  readonly id: number;
  /** UTC milliseconds. */
  readonly at: number;
  /** Null of old releases. */
  readonly receivedAt: number | null;
  /** The detector's rule. */
  readonly rule: string;
  /** JSON of the output fields. */
  readonly fields: string | null;
  readonly namespace: string | null;
  readonly pod: string | null;
  readonly podUid: string | null;
  /** `deployment/checkout`. */
  readonly workload: string | null;
  readonly image: string | null;
  readonly digest: string | null;
}

/** ObjectOwner is what made a pod and makes another in its place. */
export interface ObjectOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** LivePod is a pod as the API server has it now. */
export interface LivePod {
  readonly uid: string;
  /** Its `resourceVersion`. */
  readonly version: string;
  /** Whether it is being deleted already. */
  readonly deleting: boolean;
  /** Whether it mirrors a static pod. */
  readonly mirror: boolean;
  /** UTC milliseconds; the cluster keeps whole seconds. */
  readonly createdAt: number;
  /** Ids of its containers without the engine's scheme, those that ended last too. */
  readonly containers: readonly string[];
  /** Of what its containers run. */
  readonly digests: ReadonlySet<string>;
  /** Its controller, or null. */
  readonly owner: ObjectOwner | null;
}

/** Removal: `changed` when the pod is no longer this version or another one has its name; `refused` when the API server denies it. */
export type Removal = 'stopped' | 'gone' | 'changed' | 'refused';

/** LivePods reads and deletes single pods. */
export interface LivePods {
  /** Null where no pod has the name. */
  read(namespace: string, name: string): Promise<LivePod | null>;
  /**
   * Deletes this version of the pod of this uid and no other. `graceSeconds` null: the pod's own grace period. Rejects when the outcome is
   * not known.
   */
  remove(
    place: { readonly namespace: string; readonly name: string },
    pod: Pick<LivePod, 'uid' | 'version'>,
    graceSeconds: number | null,
  ): Promise<Removal>;
}

/** StopEnd is what became of a stop that was asked for. */
export type StopEnd = Removal | 'failed';

/** StopAttempt is a stop that is wanted, as it is written down. */
export interface StopAttempt {
  readonly at: number;
  readonly cluster: string;
  readonly policy: string;
  readonly stopMode: 'immediate' | 'graceful';
  readonly event: StopEvent;
}

/** StopCounts are the stops that count against the limits. */
export interface StopCounts {
  /** Pods of the cluster that were stopped within a minute, by sweeps too. */
  readonly stops: number;
  /** Pods of the workload that were stopped for events within an hour. */
  readonly workloadStops: number;
}

/** WithheldDraft is what is told with a stop that is withheld: how the image could be denied at admission instead. */
export interface WithheldDraft {
  /** An ImagePolicy as JSON, which is YAML too. */
  readonly policy: string;
  /** What it would have changed, in a sentence; null where that is not known. */
  readonly effect: string | null;
}

/** BegunStop is what `begin` found or wrote: `done` when the stop of this event and pod has ended before. */
export type BegunStop =
  | { readonly kind: 'begun' | 'resumed'; readonly id: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'settled'; readonly outcome: string; readonly why: string | null };

/**
 * StopLog keeps attempts to stop pods. `begin` carries the fence of the cluster's leader and throws when another process leads it since;
 * each is one atomic act.
 */
export interface StopLog {
  /** What counts now, to know beforehand whether a stop would be withheld. */
  counts(attempt: StopAttempt): Promise<StopCounts>;
  /**
   * Writes down what is going to be done, with its audit entry, before it is done; until `end` its outcome is `failed`. `answer` decides
   * by what counts at that moment; what it withholds is written and told in the same act. `standing` is why there is nothing to stop, or
   * null. A stop of the same event and pod that has begun before is resumed, and is written no second time.
   */
  begin(
    fence: number,
    attempt: StopAttempt,
    standing: 'gone' | 'changed' | null,
    answer: (counts: StopCounts) => StopAnswer,
    draft: WithheldDraft | null,
  ): Promise<BegunStop>;
  /** Writes what came of it, on the attempt and on the event. Not under the fence: it says what has happened. */
  end(id: number, eventId: number, outcome: StopEnd, fault: string | null): Promise<void>;
}

/** StopNotice is what the cluster is told of a stop, on the owner of the pod. */
export interface StopNotice {
  /** `failed`: the API server was asked to delete the pod, and the pod was not stopped. */
  readonly kind: 'stopped' | 'withheld' | 'failed';
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly owner: ObjectOwner | null;
  readonly message: string;
}

/** StopNotices takes them. Never waits and never throws. */
export interface StopNotices {
  happened(notice: StopNotice): void;
}
