import type { ChannelEvent } from './events.ts';
import {
  isTrackerKind,
  kindOf,
  trackerOf,
  type ChannelKind,
  type CredentialField,
  type SettingsByKind,
  type TrackerKind,
} from './kinds.ts';

/** ChannelState is what using a channel left behind; writing it is not a change of the channel. Times are UTC milliseconds. */
export interface ChannelState {
  /** First run that had a candidate, or null. */
  readonly firstRunAt: number | null;
  /** The provider asked for quiet until then, or null. */
  readonly notBefore: number | null;
  readonly capWarnedAt: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
}

/** Pause keeps a channel of a restored service from doing anything until a person lets it go on. Times are UTC milliseconds. */
export interface Pause {
  /** When the backup was made. */
  readonly since: number;
  /** When a person asked to go on, and what kept it from going on. */
  readonly askedAt: number | null;
  readonly error: string | null;
}

interface Kept<K extends ChannelKind> extends ChannelState {
  readonly id: string;
  readonly kind: K;
  readonly name: string;
  readonly enabled: boolean;
  readonly subscriptions: readonly ChannelEvent[];
  readonly createdAt: number;
  /** Order of creation. */
  readonly place: number;
  /** Opaque; another after every write of the channel. What a client names in `If-Match`. */
  readonly version: string;
  readonly updatedAt: number;
  /** `user:<account_id>`, or null when no account wrote it. */
  readonly updatedBy: string | null;
  /** Absent where it is not paused. */
  readonly paused?: Pause;
}

/** ChannelOf is a channel of one kind. */
export interface ChannelOf<K extends ChannelKind> extends Kept<K> {
  readonly settings: SettingsByKind[K];
  readonly fault: null;
}

/** Channel is a channel that can be used, told apart by `kind`. It does not contain tracker credentials. */
export type Channel = { readonly [K in ChannelKind]: ChannelOf<K> }[ChannelKind];

/** TrackerChannel is a channel that opens issues. */
export type TrackerChannel = { readonly [K in TrackerKind]: ChannelOf<K> }[TrackerKind];

/** FaultyChannel is one whose stored settings cannot be used as they are; it is listed, and fixed by writing it again. */
export interface FaultyChannel extends Kept<ChannelKind> {
  readonly settings: null;
  /** What is wrong, in one sentence. */
  readonly fault: string;
  /** The settings as they are stored. */
  readonly stored: Readonly<Record<string, unknown>>;
}

/** StoredChannel is a channel as it is kept. */
export type StoredChannel = Channel | FaultyChannel;

/** isTracker tells the channels that open issues, and can be used, from the others. */
export function isTracker(channel: StoredChannel): channel is TrackerChannel {
  return isTrackerKind(channel.kind) && channel.settings !== null;
}

/** credentialField tells which credential a tracker channel is used with. */
export function credentialField({ kind, settings }: TrackerChannel): CredentialField {
  return trackerOf(kind).credential(settings);
}

/** targetOf tells where a channel leads, in a few words and without a secret; empty where that is not known. */
export function targetOf({ kind, settings }: StoredChannel): string {
  return settings === null ? '' : kindOf(kind).target(settings);
}
