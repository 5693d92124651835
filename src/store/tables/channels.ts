import type { Generated } from 'kysely';

/** ChannelTables hold where notifications go, and those that wait. */
export interface ChannelTables {
  channels: {
    id: string;
    /** One of CHANNEL_KINDS. */
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
    /** One of CREDENTIAL_FIELDS. */
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
}
