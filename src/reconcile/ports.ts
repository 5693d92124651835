import type { signalsOf } from '../pods/index.ts';
import type { Digest } from '../base/index.ts';
import type { ImageFacts } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';
import type { Account } from '../replicas/index.ts';

/** PodSpec is what `podSpec` reads of the `spec` of a pod or a pod template. */
export type PodSpec = Parameters<typeof signalsOf>[0];

/** RunningContainer is one container of a pod, of any of its three lists. */
export interface RunningContainer {
  readonly name: string;
  readonly role: 'init' | 'main' | 'ephemeral' | 'volume';
  /** As the pod's `spec` writes it, not as its status does. */
  readonly image: string;
  /** Of the manifest or index that the node pulled (`imageID` of the status); null while it is not known. */
  readonly digest: Digest | null;
  /** Its id without the engine's scheme; absent or null while it is not known. */
  readonly id?: string | null | undefined;
}

/** PodController is what made a pod and would make another in its place. */
export interface PodController {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** RunningPod is a pod as the cluster has it. Pods that have ended are given too: they may have run without a review. */
export interface RunningPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** UTC milliseconds; the cluster keeps whole seconds. */
  readonly createdAt: number;
  /** Whether it is being deleted. */
  readonly deleting: boolean;
  /** Whether its phase is `Succeeded` or `Failed`. */
  readonly finished: boolean;
  /** Whether it mirrors a static pod (annotation `kubernetes.io/config.mirror`): its node runs it whatever the API server says. */
  readonly mirror: boolean;
  /** What it belongs to, the highest owner that is known: `deployment/checkout`; `pod/<name>` where it has none. */
  readonly workload: string;
  /** Its controlling owner (`controller: true`), or null. */
  readonly controller: PodController | null;
  readonly labels: ReadonlyMap<string, string>;
  /** Of the annotation `ipo.dev/break-glass`, or null. */
  readonly breakGlassReason: string | null;
  readonly spec: PodSpec;
  readonly containers: readonly RunningContainer[];
  /** Of the node that it runs on (`linux/arm64`); absent or null where that is not known. */
  readonly platform?: string | null | undefined;
}

/** RunningPods gives every pod of the cluster. */
export interface RunningPods {
  /**
   * `complete` is false when some may be missing (the list broke off, or is too old): what is not in it may run all the same.
   * Rejects when nothing is known.
   */
  list(): Promise<{ readonly complete: boolean; readonly pods: readonly RunningPod[] }>;
}

/** Replacement is the pod that would be made in the place of another one: of the controller's template as it stands now. */
export interface Replacement {
  readonly labels: ReadonlyMap<string, string>;
  readonly spec: PodSpec;
}

/** Replacements tells what would be made in the place of a pod. */
export interface Replacements {
  /**
   * Null when nothing surely makes another: the controller is gone, is being deleted or wants fewer pods, or is a Job, whose tries
   * may be used up. Rejects when it cannot be read.
   */
  of(pod: RunningPod): Promise<Replacement | null>;
}

/** StopOutcome: `gone` when there is no pod of this uid any more, `refused` when the API server does not allow it. */
export type StopOutcome = 'stopped' | 'gone' | 'refused';

/** PodStopper deletes pods. */
export interface PodStopper {
  /** Deletes the pod of this uid and no other, with the pod's own grace period. Rejects when the outcome is not known. */
  stop(pod: Pick<RunningPod, 'namespace' | 'name' | 'uid'>): Promise<StopOutcome>;
}

/** TagDigests tells what a reference without a digest stands for now; the webhook's own `DigestLookup` is one. */
export interface TagDigests {
  /** Null when it does not know. */
  digestOf(reference: string, signal: AbortSignal): Promise<Digest | null>;
}

/** RecordedVerdict is what the newest `reconcile` row of a container says. */
export interface RecordedVerdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly label: string | null;
  readonly policy: string | null;
}

/** PodRecord is what the ledger holds of a pod by its uid. */
export interface PodRecord {
  /** Whether a row of kind `review` or `unreviewed` names it; what a sweep said of it is none. */
  readonly known: boolean;
  /** Whether a row of kind `review` does; told where every row of the pod was wanted. */
  readonly reviewed: boolean;
  /** The containers whose newest review was bypassed by break-glass. */
  readonly bypassed: ReadonlySet<string>;
}

/** WantedPod is a pod that is looked up in the ledger. */
export interface WantedPod {
  readonly uid: string;
  readonly createdAt: number;
  /** Whether every row of it is wanted, to know what was bypassed; else the first one is enough. */
  readonly whole: boolean;
}

/** PodLedger finds rows of pods in the ledger. Rows never change, so it remembers what it has found. */
export interface PodLedger {
  /** What the ledger holds of pods, by uid; what it has read of others is forgotten. */
  find(pods: readonly WantedPod[]): Promise<ReadonlyMap<string, PodRecord>>;
  /**
   * The newest verdict of kind `reconcile` of each container, by `<pod uid>/<container>` (the pod as a whole: `<pod uid>/`). Reads
   * what came since it was asked last; `since` says from when on it reads the first time.
   */
  verdicts(since: number): Promise<ReadonlyMap<string, RecordedVerdict>>;
  /** Forgets the verdicts of all other pods. */
  keep(uids: ReadonlySet<string>): void;
}

/** SeenWorkload is a workload with a digest that a pod of it runs. */
export interface SeenWorkload {
  readonly namespace: string;
  readonly workload: string;
  readonly digest: string;
}

/** Notice is an event for the channels; it is kept until it is delivered. */
export interface Notice {
  readonly event: 'pods_unreviewed' | 'pod_stop_withheld';
  /** What it is about: notices with one subject are told together. */
  readonly subject: string;
  /** Two notices with one key within a day are one; null for never. */
  readonly throttleKey: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** BegunSweep is what a sweep is going to record, before it does. */
export interface BegunSweep {
  readonly cluster: string;
  readonly startedAt: number;
  readonly pods: number;
  readonly unreviewed: number;
  readonly refused: number;
  readonly notices: readonly Notice[];
}

/** EndedSweep is how a sweep ended. */
export interface EndedSweep {
  readonly cluster: string;
  readonly at: number;
  readonly running: readonly SeenWorkload[];
  /** Why it is not whole, or null: then it counts for the retirement of images. */
  readonly fault: string | null;
  /** Whether no replica could hold rows, so that a pod without a review would have been found. */
  readonly accounted: boolean;
}

/** StopAttempt is one attempt to stop a pod. */
export interface StopAttempt {
  readonly at: number;
  readonly cluster: string;
  readonly policy: string;
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly digest: string | null;
}

/** EarlierStop is a pod that was stopped: what it ran should not come back in its place. */
export interface EarlierStop {
  readonly namespace: string;
  readonly digest: string;
  readonly at: number;
}

/**
 * SweepLog keeps sweeps, what they saw and what they stopped. Every write carries the fence of the cluster's leader and throws when
 * another process leads it since; each is one atomic act.
 */
export interface SweepLog {
  /** Records the sweep, not ended yet, together with its notices; gives its id. */
  begin(fence: number, sweep: BegunSweep): Promise<number>;
  /** Records what ran. */
  end(fence: number, id: number, sweep: EndedSweep): Promise<void>;
  /**
   * Records that a pod is going to be stopped, and audits it; until `stopEnded` its outcome is `failed`. Null, and nothing is recorded, where
   * so many pods of the cluster were stopped within a minute already.
   */
  stopBegun(fence: number, attempt: StopAttempt, maxStops: number): Promise<number | null>;
  stopEnded(id: number, outcome: StopOutcome | 'failed', fault: string | null): Promise<void>;
  /** The newest stop of each digest in each namespace of the cluster that worked, since then. */
  stops(cluster: string, since: number): Promise<readonly EarlierStop[]>;
}

/**
 * SweepAccount tells whether every row of what was reviewed is in the database. What a pod that was listed before the call lacks there
 * afterwards, no replica holds, if the account is whole. Rejects when it cannot be told.
 */
export type SweepAccount = (fence: number, signal: AbortSignal) => Promise<Account>;

/** RecordedFacts reads what is recorded of digests; those without anything are left out. */
export interface RecordedFacts {
  load(digests: readonly string[]): Promise<ReadonlyMap<string, ImageFacts>>;
}

/** PulledImage is an image that a node pulled by this name (`host/path:tag`, or `host/path` for a reference by digest). */
export interface PulledImage {
  readonly name: string;
  readonly digest: Digest;
}

/** ImageOfIndex is a pulled image that is the one of a platform in an index. */
export interface ImageOfIndex extends PulledImage {
  readonly index: Digest;
  /** Such as `linux/arm64`. */
  readonly platform: string;
}

/** PulledIndexes knows the indexes that were scanned. */
export interface PulledIndexes {
  /** Those of the images that are known by their index under the same name; not those that were themselves reviewed since. */
  of(images: readonly PulledImage[]): Promise<readonly ImageOfIndex[]>;
}

/** SweepPolicies gives the policies in effect. */
export type SweepPolicies = () => Promise<readonly Policy[]>;

/** PodEvent is what the cluster is told of a pod. */
export interface PodEvent {
  readonly kind: 'unreviewed' | 'refused' | 'withheld' | 'stopped';
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly message: string;
}

/** PodEvents takes what the cluster is told. Never waits and never throws. */
export interface PodEvents {
  happened(event: PodEvent): void;
}
