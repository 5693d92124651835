import type { RuntimeEffect } from './effect.ts';
import type { DetectorEvent } from './event.ts';
import type { LastVerdict } from './match.ts';
import type { Priority } from './priority.ts';
import type { RuntimePolicy, RuntimeRule } from './schema.ts';

/** StoredRule is a rule as it is kept, at its place in the order. */
export interface StoredRule {
  readonly id: number;
  /** Says which content it is, whatever its place: an ETag. */
  readonly version: string;
  /** As it counts: disabled where its match cannot be read. */
  readonly rule: RuntimeRule;
  /** Why its match cannot be read, as those of old releases may be; null for a good one. */
  readonly fault: string | null;
  /** UTC milliseconds. */
  readonly createdAt: number;
  /** Name of the account, or `user:<account_id>` once it is anonymised; null for nobody. */
  readonly createdBy: string | null;
  readonly updatedAt: number;
}

/** RuleWriter is who writes rules, and when. */
export interface RuleWriter {
  readonly at: number;
  readonly accountId: string | null;
  readonly name: string | null;
}

/** RuleEntry is a rule of a new list: one that stands by its id, or a new one. */
export interface RuleEntry {
  readonly id: number | null;
  readonly rule: RuntimeRule;
}

/** RuntimeRuleStore keeps the rules as one list. */
export interface RuntimeRuleStore {
  /** In the order in which they are asked. */
  list(): Promise<readonly StoredRule[]>;
  /**
   * Puts another list in the place of the one that stands, made of it while nobody else changes it; what is the same in both is not
   * written. Gives the new list. What `next` throws leaves all as it was.
   */
  change(
    by: RuleWriter,
    next: (standing: readonly StoredRule[]) => readonly RuleEntry[],
  ): Promise<readonly StoredRule[]>;
}

/** ReceivedEvent is an event as it came. */
export interface ReceivedEvent {
  readonly event: DetectorEvent;
  /** UTC milliseconds. */
  readonly receivedAt: number;
}

/** RuntimeIntake keeps events that came. */
export interface RuntimeIntake {
  /** Keeps them durably, those that are there already once; gives how many are new. `cluster` is empty for none. */
  append(cluster: string, events: readonly ReceivedEvent[]): Promise<number>;
  /** Counts events that came and could not be kept. */
  dropped(cluster: string, at: number, count: number): Promise<void>;
}

/** StoredEvent is an event as it is kept, with what came of it. */
export interface StoredEvent {
  readonly id: number;
  readonly kind: DetectorEvent['kind'];
  /** UTC milliseconds. */
  readonly at: number;
  readonly receivedAt: number | null;
  /** As the detector wrote it; null of old releases. */
  readonly time: string | null;
  readonly rule: string;
  readonly priority: string;
  readonly source: string | null;
  readonly host: string | null;
  readonly output: string;
  readonly tags: readonly string[];
  /** JSON of the output fields, numbers as written. */
  readonly fields: string | null;
  readonly truncated: boolean;
  readonly cluster: string | null;
  readonly namespace: string | null;
  readonly pod: string | null;
  readonly podUid: string | null;
  readonly container: string | null;
  readonly workload: string | null;
  readonly image: string | null;
  readonly digest: string | null;
  readonly basis: string | null;
  /** What was known of the image when it was decided; null before. */
  readonly lastVerdict: LastVerdict | null;
  readonly signed: boolean | null;
  readonly matchedRule: string | null;
  /** Null until it is decided. */
  readonly effect: string | null;
  readonly policy: string | null;
  readonly policyEffect: string | null;
  readonly alerted: boolean;
  readonly notified: boolean;
  readonly decidedAt: number | null;
}

/** EventFilter narrows events; null is any. */
export interface EventFilter {
  readonly effect: RuntimeEffect | null;
  /** The detector's rule, one of ours that decided, or `policy:<name>` for what a runtime policy stopped. */
  readonly rule: string | null;
  /** This priority or a graver one. */
  readonly priority: Priority | null;
  /** A part of the image's name, or its digest. */
  readonly image: string | null;
  readonly namespace: string | null;
  /** UTC milliseconds. */
  readonly since: number | null;
  /** Those behind an id. */
  readonly after: number | null;
}

/** EventListPage is a page of them. */
export interface EventListPage {
  readonly limit: number;
  readonly offset: number;
  /** UTC milliseconds: nothing is given behind an event that came from then on and is not decided. Null or absent waits for none. */
  readonly undecidedFrom?: number | null;
}

/** RuntimeEvents reads events that came. */
export interface RuntimeEvents {
  /** Newest first; behind an id the oldest first, so that somebody can follow. */
  list(
    filter: EventFilter,
    page: EventListPage,
  ): Promise<{ readonly items: readonly StoredEvent[]; readonly total: number }>;
  /** Null where there is none of this id. */
  get(id: number): Promise<StoredEvent | null>;
}

/** RuntimePolicySource gives the runtime policies in effect: objects of the cluster, or rows of the database. */
export interface RuntimePolicySource {
  /** Those that are valid and enabled; the same list while none was changed. */
  inEffect(): Promise<readonly RuntimePolicy[]>;
}

/** WantedStop is an event of which a runtime policy under Enforce asks that its pod is stopped. */
export interface WantedStop {
  readonly event: StoredEvent;
  readonly policy: StopPolicy;
}

/** StopPolicy is the policy that asked for a stop; without a `spec` it is no longer in effect. */
export type StopPolicy = Pick<RuntimePolicy, 'name'> & { readonly spec: RuntimePolicy['spec'] | null };

/** PodStopper stops pods for events, with every guard. */
export interface PodStopper {
  /**
   * Called by the leader of the cluster under its fence, after the decision of the event is durable (`policyEffect` is `pending`), and again
   * at a takeover for what is still pending. Writes what came of it with its attempt and its audit entry: never twice for one event and pod.
   */
  stop(wanted: WantedStop): Promise<void>;
}
