import type { Generated } from 'kysely';

/** RuntimeTables hold the rules over what the runtime detector reports, and what it reported. */
export interface RuntimeTables {
  runtime_rules: {
    id: Generated<number>;
    /** Rules are asked in this order; the first match decides. */
    place: number;
    name: string;
    enabled: number;
    /** JSON. */
    match: string;
    /** This many events of one digest within this many milliseconds. */
    count: number;
    duration_ms: number;
    /** `allow`, `record` or `notify`. */
    action: string;
    throttle_ms: number | null;
    created_at: number;
    /** Copy of the name; `user:<account_id>` once anonymised. */
    created_by: string | null;
    updated_at: number;
    account_id: string | null;
    /** Counts the writes. */
    version: Generated<number>;
  };
  runtime_policies: {
    name: string;
    /** JSON of the document. */
    document: string;
    /** 0: stops nothing. */
    enabled: number;
    version: number;
    created_at: number;
    updated_at: number;
    updated_by: string | null;
  };
  /** In the order of their ids they are joined to what runs, decided by the rules, and judged by the runtime policies. */
  runtime_events: {
    id: Generated<number>;
    /** UTC milliseconds: the detector's own time, or that of receipt where that is far off. */
    at: number;
    source: string | null;
    rule: string;
    priority: string;
    output: string;
    /** JSON list of tags; JSON object of output fields, with numbers as they were written. */
    tags: string | null;
    fields: string | null;
    digest: string | null;
    image: string | null;
    cluster: string | null;
    namespace: string | null;
    pod: string | null;
    pod_uid: string | null;
    container: string | null;
    /** The rule of ours that decided, and what it did; null when none matched. */
    matched_rule: string | null;
    /** `allow`, `record`, `notify`, `issue` or `stop`: the strongest that came of it. Null until it is decided, and on rows of before 1.3.1 that nothing decided. */
    effect: string | null;
    /** The runtime policy that acted on it, and what it did: `stop`, `withheld`, `would_stop` (under Audit), `gone`, `changed`, `refused` or `failed`. */
    policy: string | null;
    policy_effect: string | null;
    received_at: number | null;
    /** Its time in milliseconds as 12 hex digits, then the SHA-256 of host, time, rule and fields in base64url; null on rows of before 0037. */
    event_key: string | null;
    host: string | null;
    /** The detector's own time as it wrote it, to the nanosecond. */
    time: string | null;
    /** `event`, `heartbeat` (the detector reports that it runs) or `test` (a test of the connection). */
    kind: Generated<string>;
    workload: string | null;
    /** How it was joined to an image: `field`, `pod` or `none`; null until it is decided. */
    match_basis: string | null;
    /** 1 where the relay cut long strings. */
    truncated: Generated<number>;
    /** What was known of the image when the event was decided: `allowed`, `refused` or `none`; whether a signature was verified. */
    last_verdict: string | null;
    signed: number | null;
    decided_at: number | null;
    /** 1 where it gave an alert, which the throttle let through; and where an enabled channel was subscribed to it. */
    alerted: Generated<number>;
    notified: Generated<number>;
  };
  /** Every attempt to stop a pod: by a sweep, or for an event, at most one for each event and pod. */
  pod_stops: {
    id: Generated<number>;
    at: number;
    policy: string;
    event_id: number | null;
    cluster: string | null;
    namespace: string;
    pod: string;
    pod_uid: string;
    digest: string | null;
    /** `immediate` or `graceful`. */
    stop_mode: string;
    /** `stopped`, `gone`, `refused` or `failed`; of events also `changed` (another pod has its place) and `withheld`, with the reason below. */
    outcome: string;
    last_error: string | null;
    /** Of stops for an event: `deployment/checkout`. */
    workload: string | null;
  };
}
