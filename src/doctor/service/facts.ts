/** FeedFacts are how fresh something is that is fetched; UTC milliseconds. */
export interface FeedFacts {
  /** Whether it is not to be fetched. */
  readonly off: boolean;
  /** When it was last fetched, or seen to be the newest; null when it never was. */
  readonly freshAt: number | null;
  readonly lastError: string | null;
}

/** ChannelFacts are how a channel stands. */
export interface ChannelFacts {
  readonly name: string;
  readonly kind: string;
  readonly isTracker: boolean;
  readonly enabled: boolean;
  /** Why its settings cannot be used; null where they can. */
  readonly fault: string | null;
  readonly secrets: readonly { readonly field: string; readonly state: 'set' | 'missing' | 'unreadable' }[];
  /** Why `trackers.allowedHosts` keeps it from being called, after the name of its address; null where it does not. */
  readonly hostFault: string | null;
  readonly lastError: string | null;
  readonly mutedUntil: number | null;
  readonly paused: boolean;
  readonly events: readonly string[];
}

/** ServiceFacts are what a running service knows of itself. Times are UTC milliseconds, null where there is none. */
export interface ServiceFacts {
  readonly version: string;
  readonly startedAt: number;
  readonly database: {
    readonly engine: 'sqlite' | 'postgres';
    /** Why it does not answer; null where it does. */
    readonly fault: string | null;
    /** Why nothing can be written; null where it can. */
    readonly readOnly: string | null;
  };
  readonly ledger: {
    readonly rows: number | null;
    readonly signedRows: number | null;
    readonly signedAt: number | null;
    readonly spooledRows: number;
    readonly holding: boolean;
    readonly clockBehindMs: number;
    /** Why what is signed is not to be trusted. */
    readonly broken: string | null;
    readonly anchors: readonly { readonly name: string; readonly error: string | null }[];
  };
  readonly jobs: readonly { readonly name: string; readonly fault: string | null }[];
  readonly webhook: {
    readonly fault: string | null;
    readonly certificateEndsAt: number | null;
    /** Whether anyone who reaches its port can post reviews. */
    readonly guarded: boolean;
  } | null;
  readonly cluster: {
    readonly name: string | null;
    /** UIDs of other clusters that gave the same name in the last day. */
    readonly sameName: readonly string[];
    readonly stale: readonly { readonly kind: string; readonly since: number }[];
    readonly holding: readonly { readonly name: string; readonly since: number }[];
    readonly fault: string | null;
    /** Nodes over their ceiling since; null within it. */
    readonly nodesOverSince: number | null;
  } | null;
  /** Whether the settings say that nothing scans here. */
  readonly scannerOff: boolean;
  readonly scanner: { readonly name: string; readonly fault: string | null } | null;
  readonly vulnerabilityDatabase: FeedFacts;
  readonly knownExploited: FeedFacts;
  readonly endOfLife: FeedFacts;
  readonly unscannable: number;
  readonly registries: readonly { readonly host: string; readonly since: number }[];
  /** Addresses that pass calls on and are not trusted. */
  readonly untrustedProxies: readonly string[];
  /** The proxy of outbound calls: why it does not answer; null where it does, or none is set. */
  readonly proxyFault: string | null;
  readonly policies: readonly {
    readonly name: string;
    readonly kind: string;
    readonly fault: string | null;
  }[];
  readonly channels: readonly ChannelFacts[];
  /** Newest events of containers in the last day, and those that were joined to an image by their digest or by their pod. */
  readonly runtimeEvents: { readonly events: number; readonly byField: number; readonly byPod: number };
  /** Enabled runtime rules that notify. */
  readonly notifyingRules: number;
  readonly hasDataKey: boolean;
  readonly notifications: { readonly failed: number; readonly oldest: number | null } | null;
  readonly backups: {
    /** Milliseconds between two; null without a schedule. */
    readonly every: number | null;
    readonly lastDoneAt: number | null;
    /** Why the newest was not made; null where it was. */
    readonly lastError: string | null;
  };
  readonly licence: {
    readonly state: string;
    readonly warnings: readonly string[];
    readonly lastError: string | null;
  };
}
