import type { Decided } from './decide.ts';
import type { Joined } from './join.ts';
import type { LastVerdict } from './match.ts';
import type { StoredEvent } from './ports.ts';

/** KnownImage is what is known of an image when an event of it is decided. */
export interface KnownImage {
  /** The name that it was seen under last; null for none. */
  readonly name: string | null;
  readonly lastVerdict: LastVerdict;
  /** Whether a signature of it was verified. */
  readonly signed: boolean;
}

/** EventDecision is what is written down of an event. */
export interface EventDecision {
  readonly event: StoredEvent;
  readonly joined: Joined;
  readonly image: KnownImage;
  readonly rule: string | null;
  readonly effect: 'allow' | 'record' | 'notify';
  readonly alerted: boolean;
  /** The runtime policy that acts on it, and how: `pending` until its pod was dealt with; null for none. */
  readonly policy: { readonly name: string; readonly effect: 'pending' | 'would_stop' | 'withheld' } | null;
}

/** DecisionStore keeps what events were decided. `cluster` is empty for none. */
export interface DecisionStore {
  /** Events that are not decided, in the order of their ids. */
  undecided(cluster: string, limit: number): Promise<readonly StoredEvent[]>;
  /** The highest id that is decided; 0 for none. */
  decidedUpTo(cluster: string): Promise<number>;
  /**
   * Decided events whose own time is not before `since`, in the order of their ids, in pages: those of which windows and throttles are made.
   * With `all` those that runtime policies count too.
   */
  decided(cluster: string, since: number, all: boolean): AsyncIterable<readonly Decided[]>;
  /** What is known of images by their digests; one that is missing was never seen. */
  images(digests: readonly string[]): Promise<ReadonlyMap<string, KnownImage>>;
  /**
   * Writes decisions with what the channels are told, in one transaction: all, or none where one of the events is decided already or another
   * process leads since. Gives the ids of the alerts that an enabled channel is subscribed to. `fence` is null where nobody else can lead.
   */
  write(
    fence: number | null,
    cluster: string,
    at: number,
    decisions: readonly EventDecision[],
  ): Promise<ReadonlySet<number>>;
  /** Events whose pods were to be stopped and were not dealt with, in the order of their ids. */
  pending(cluster: string): Promise<readonly StoredEvent[]>;
}
