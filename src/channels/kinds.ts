import type { AnyKind, Teller, Tracker } from './kind.ts';
import { email } from './kinds/email.ts';
import { github } from './kinds/github.ts';
import { gitlab } from './kinds/gitlab.ts';
import { jira } from './kinds/jira.ts';
import { slack } from './kinds/slack.ts';
import { teams } from './kinds/teams.ts';
import { webhook } from './kinds/webhook.ts';

const TRACKERS = [github, gitlab, jira] as const;
const TELLERS = [email, slack, teams, webhook] as const;
const KINDS = [...TRACKERS, ...TELLERS] as const;

/** TrackerKind is one of the kinds that open and close issues. */
export type TrackerKind = (typeof TRACKERS)[number]['kind'];

/** ChannelKind is one kind of channel. */
export type ChannelKind = (typeof KINDS)[number]['kind'];

/** SettingsByKind are the settings of each kind. */
export type SettingsByKind = {
  readonly [O in (typeof KINDS)[number] as O['kind']]: O extends AnyKind<string, infer S> ? S : never;
};

/** CHANNEL_KINDS lists every kind of channel; all of them stand in one table and follow one set of subscription rules. */
export const CHANNEL_KINDS = KINDS.map(({ kind }) => kind);

/** TRACKER_KINDS are those that open and close issues. */
export const TRACKER_KINDS = TRACKERS.map(({ kind }) => kind);

/** isTrackerKind tells the kinds that open issues from those that only tell. */
export function isTrackerKind(kind: string): kind is TrackerKind {
  return (TRACKER_KINDS as readonly string[]).includes(kind);
}

/** CredentialField is a field of a tracker's document that holds a credential. */
export type CredentialField = (typeof TRACKERS)[number]['credentials'][number];

/** CREDENTIAL_FIELDS are what is sealed, and nothing else. */
export const CREDENTIAL_FIELDS = distinct<CredentialField>(
  TRACKERS.flatMap(({ credentials }) => credentials),
);

/** SecretField is a field of another kind that is written and never given back; it is stored as it is. */
export type SecretField = (typeof TELLERS)[number]['secrets'][number]['field'];

/** SECRET_FIELDS are all of them. */
export const SECRET_FIELDS = distinct<SecretField>(
  TELLERS.flatMap(({ secrets }) => secrets.map(({ field }) => field)),
);

/** kindOf gives a kind by its name; what is asked of it takes settings of that kind. */
export function kindOf(kind: ChannelKind): AnyKind<ChannelKind> {
  return found(KINDS, kind);
}

/** trackerOf gives a kind of tracker likewise. */
export function trackerOf(kind: TrackerKind): Tracker<TrackerKind, Tracked, CredentialField> {
  return found(TRACKERS, kind);
}

type Tracked = SettingsByKind[TrackerKind];

/** TellerKind is one of the kinds that only tell. */
export type TellerKind = (typeof TELLERS)[number]['kind'];

/** tellerOf gives a kind that only tells likewise. */
export function tellerOf(kind: TellerKind): Teller<ChannelKind, object, SecretField> {
  return found(TELLERS, kind);
}

function found<O extends { readonly kind: string }>(objects: readonly O[], kind: O['kind']): O {
  const object = objects.find((one) => one.kind === kind);
  if (object === undefined) throw new TypeError(`unknown kind of channel ${kind}`);
  return object;
}

function distinct<T>(all: readonly T[]): readonly T[] {
  return [...new Set(all)];
}
