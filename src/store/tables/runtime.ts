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
    /** So many events of one digest within so many milliseconds. */
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
  runtime_events: {
    id: Generated<number>;
    at: number;
    source: string | null;
    rule: string;
    priority: string;
    output: string;
    /** JSON list of tags, JSON object of output fields. */
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
    effect: string | null;
    policy: string | null;
    policy_effect: string | null;
  };
  /** Every attempt to stop a pod. */
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
    /** `stopped`, `gone`, `refused` or `failed`. */
    outcome: string;
    last_error: string | null;
  };
}
