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
    /** Time of the backup that it was restored from, until a person lets it go on; null where it is not paused. */
    paused_since: number | null;
    /** When a person asked for that, and what kept it from going on. */
    resume_asked_at: number | null;
    resume_error: string | null;
  };
  channel_credentials: {
    channel_id: string;
    /** One of CREDENTIAL_FIELDS. */
    field: string;
    /** `enc:v1:<base64>`; plain only when it comes from an earlier release, until the leader seals it. */
    value: string;
    updated_at: number;
  };
  /** What each channel is to be told next, gathered by what it is about. */
  outbox: {
    id: Generated<number>;
    channel_id: string;
    /** One of CHANNEL_EVENTS. */
    event: string;
    /** Empty where many subjects are counted together. */
    subject: string;
    /** Occurrences. */
    count: number;
    /** Lines of `items`. */
    shown: number;
    /** A line of JSON for each of the first occurrences. */
    items: string;
    first_at: number;
    last_at: number;
  };
  /** When an event was last written that is told once in a while. */
  event_throttle: { throttle_key: string; at: number };
  /** Messages, and what became of them. */
  deliveries: {
    id: Generated<number>;
    /** Its id for the receiver, the same on every try. */
    message: string;
    channel_id: string;
    /** As they were when the message was made. */
    channel_name: string;
    kind: string;
    target: string;
    /** JSON: `[{event, count}]`. */
    events: string;
    /** JSON list of the first messages about the same subjects. */
    refs: string;
    /** JSON of Content. */
    content: string;
    title: string;
    /** `waiting`, `sent` or `failed`. */
    state: string;
    created_at: number;
    attempts: Generated<number>;
    attempted_at: number | null;
    /** Since it was last handed in: tries end 24 hours after it. */
    first_attempt_at: number | null;
    not_before: number;
    ended_at: number | null;
    /** What the other side said when it took the message. */
    answer: string | null;
    last_error: string | null;
  };
  /** The first message about a subject in a channel. */
  delivery_threads: { channel_id: string; subject: string; message: string; at: number };
  channel_mutes: {
    id: Generated<number>;
    channel_id: string;
    muted_at: number;
    until: number;
    reason: string;
    /** `user:<account_id>`, or null. */
    muted_by: string | null;
    /** When a person ended it before `until`. */
    ended_at: number | null;
    unmuted_by: string | null;
  };
}
