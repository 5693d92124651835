import type { Generated } from 'kysely';

/** TrackingTables hold the issues that trackers were given. */
export interface TrackingTables {
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
    /** `fixed`, `triaged`, `image_retired` once closed; runtime rows `quiet`, `image_retired` or `released` (before 1.3.1). */
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
    /** Of a row of runtime alerts: when the last event of the rule came from the image. */
    last_event_at: number | null;
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
