import type { Generated } from 'kysely';
import type { ContinuationTables } from './continuations.ts';

/** LaterTables hold what the history of migrations brought in and later parts of the service use. */
export interface LaterTables
  extends ClusterTables, ChannelTables, ContinuationTables, RuntimeTables, InstallationTables {}

/** ClusterTables hold the clusters that were seen and what runs in them. */
interface ClusterTables {
  clusters: {
    name: string;
    first_seen_at: number;
    last_seen_at: number;
    /** When a person removed it, or null. */
    forgotten_at: number | null;
  };
  reconcile_sweeps: {
    id: Generated<number>;
    cluster: string;
    started_at: number;
    /** Null until the sweep is whole; only a whole one retires images. */
    finished_at: number | null;
    pods: number;
    unreviewed: number;
    refused: number;
    last_error: string | null;
  };
  /** What each workload runs, since when, and when a sweep saw it last. */
  running_images: {
    digest: string;
    cluster: string;
    namespace: string;
    workload: string;
    first_seen_at: number;
    last_seen_at: number;
  };
  /** A cluster that was never counted has no row. */
  nodes: {
    cluster: string;
    count: number;
    /** Null for none. */
    ceiling: number | null;
    counted_at: number;
    /** `within`, `over` or `enforced`. */
    state: string;
    /** When the grace clock started, or null. */
    over_since: number | null;
    /** The event that was notified last, so that each transition is told once. */
    notified: string | null;
  };
}

/** ChannelTables hold where notifications go, and the issues that trackers were given. */
interface ChannelTables {
  channels: {
    id: string;
    /** `github`, `gitlab`, `jira`, `email`, `slack`, `teams` or `webhook`. */
    kind: string;
    name: string;
    enabled: number;
    /** JSON of the document, without credentials of trackers. */
    settings: string;
    /** JSON list of event names. */
    subscriptions: string;
    created_at: number;
    /** Order of creation, from 1. */
    place: number;
    /** Counts the writes of this channel; its ETag. */
    version: number;
    updated_at: number;
    /** Copy of the name; `user:<account_id>` once anonymised. */
    updated_by: string | null;
    /** First run that had a candidate, or null. */
    first_run_at: number | null;
    /** The provider asked for quiet until then, or null. */
    not_before: number | null;
    cap_warned_at: number | null;
    last_error: string | null;
    last_error_at: number | null;
  };
  channel_credentials: {
    channel_id: string;
    /** `token`, `apiToken` or `bearerToken`. */
    field: string;
    /** `enc:v1:<base64>`; plain only when it comes from an earlier release, until the leader seals it. */
    value: string;
    updated_at: number;
  };
  outbox: {
    id: Generated<number>;
    event: string;
    /** What makes two notifications one within the throttle's period, or null. */
    throttle_key: string | null;
    /** JSON of the event. */
    payload: string;
    channel_id: string | null;
    created_at: number;
    not_before: number;
    attempts: number;
    claimed_at: number | null;
    fence: number | null;
    delivered_at: number | null;
    last_error: string | null;
  };
  /** Unique on (digest, cve) for findings, but for rows closed as `triaged`. */
  tracking: {
    id: Generated<number>;
    /** `finding`, or `runtime`, which has a rule in the place of a CVE. */
    kind: string;
    digest: string;
    cve: string | null;
    rule: string | null;
    generation: number;
    /** Never changes, also when the channel is gone. */
    channel_id: string;
    /** The channel that closed it when another one adopted the row, or null. */
    closed_via: string | null;
    channel_kind: string;
    image: string | null;
    /** JSON list of cluster names. */
    clusters: string;
    severity: string | null;
    issue_key: string | null;
    issue_url: string | null;
    /** 1 when the issue is the summary of a first run. */
    summary: number;
    /** `open` or `closed`. */
    state: string;
    /** `fixed`, `triaged`, `image_retired` once closed; runtime rows `quiet`, `image_retired` or `released`. */
    reason: string | null;
    last_error: string | null;
    attempts: number;
    /** The call to the tracker whose outcome is not known, or null. */
    attempt_id: string | null;
    attempt_at: number | null;
    marker: string | null;
    fence: number | null;
    claimed_at: number;
    opened_at: number | null;
    closed_at: number | null;
    issue_left_open: number;
    returned_at: number | null;
    superseded_by: string | null;
    successor_has_cve: number | null;
    /** The provider's own number of the issue, which stays when it moves; where the create was sent. */
    issue_id: string | null;
    target: string | null;
    /** Steady times of the last create, and of the last look-up that found nothing, with how many there were. */
    attempt_tick: number | null;
    misses: Generated<number>;
    missed_tick: number | null;
    /** The first create of which nobody learned what it did, once another was begun; and where it was sent. */
    unsure_at: number | null;
    unsure_target: string | null;
    /** The repository that a label names and that is not there: what it answered, and how often. */
    away_target: string | null;
    away_answer: string | null;
    away_times: Generated<number>;
    /** The scan that found it last, and when that was recorded. */
    found_scanner: string | null;
    found_db_at: number | null;
    found_scan_at: number | null;
    /** Why it is not closed though it seems to have ended; a person's word that it is fixed. */
    withheld: string | null;
    confirmed_at: number | null;
    confirmed_by: string | null;
    /** The closing under way: `comment` or `commented`, and the reason that its comment names. */
    closing_id: string | null;
    closing_step: string | null;
    closing_reason: string | null;
    closing_at: number | null;
    closing_tick: number | null;
  };
  /** What counts under the cap of a channel: each issue by its marker, with the steady time when it may have been opened. */
  tracking_issues: { marker: string; channel_id: string; tick: number };
}

/** RuntimeTables hold the rules over what the runtime detector reports, and what it reported. */
interface RuntimeTables {
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

/** InstallationTables hold what concerns the installation as a whole. */
interface InstallationTables {
  /** One row (`id` 1), or none. Ceilings are null for none. */
  licence: {
    id: number;
    certificate: string;
    activated_at: number;
    expires_at: number | null;
    image_names: number | null;
    clusters: number | null;
    checked_at: number | null;
    last_error: string | null;
    nodes: number | null;
  };
  /** Image names that were admitted in a month (`2026-10`, UTC). */
  meter: { month: string; name: string; first_admitted_at: number };
  /** Raised with every change of the leader, whose writes carry it: one that lost its place writes nothing. */
  fences: { name: string; value: number; holder: string | null; acquired_at: number | null };
  evidence_packages: {
    id: string;
    created_at: number;
    account_id: string;
    period_from: number;
    period_to: number;
    /** JSON of the request. */
    request: string;
    /** Hex SHA-256 of the archive. */
    sha256: string;
    archive: Buffer;
  };
  backups: {
    id: Generated<number>;
    started_at: number;
    finished_at: number | null;
    /** Where it was written. */
    target: string;
    bytes: number | null;
    sha256: string | null;
    /** Rows of the ledger that it holds. */
    ledger_size: number | null;
    last_error: string | null;
  };
}
