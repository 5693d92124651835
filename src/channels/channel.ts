import type { ChannelEvent } from './events.ts';
import { isTrackerKind, type ChannelKind, type CredentialField } from './kinds.ts';

/** TrackerSettings are what every tracker channel has. */
export interface TrackerSettings {
  /** In the provider's form, without a slash at its end. */
  readonly apiBaseUrl: string;
  /** Put on every issue that the channel opens. */
  readonly labels: readonly string[];
  /** Issues in any 24 hours, 1 to 500. */
  readonly dailyCap: number;
  /** Whether a first run with more than five candidates files one issue for all of them. */
  readonly firstRunSummary: boolean;
}

/** Routed narrows where issues may go beside the channel's own repository or project. */
export interface Routed {
  /** Globs over the path of a repository or project; none: every one that a label names on the channel's own host. */
  readonly allowedTargets: readonly string[];
}

/** GithubSettings are those of provider A. */
export interface GithubSettings extends TrackerSettings, Routed {
  /** `owner/name`. */
  readonly defaultRepo: string;
}

/** GitlabSettings are those of provider B. */
export interface GitlabSettings extends TrackerSettings, Routed {
  /** Whole path with its groups, or the number of the project as text. */
  readonly defaultProject: string;
}

/** JiraSettings are those of provider C. */
export interface JiraSettings extends TrackerSettings {
  /** With an API token (cloud); null where a bearer token is used (Data Center). */
  readonly email: string | null;
  readonly projectKey: string;
  readonly issueType: string;
  /** "Optional. Never inferred." */
  readonly doneTransitionId: string | null;
}

/** EmailSettings say which server sends to whom. */
export interface EmailSettings {
  readonly host: string;
  readonly port: number;
  readonly security: 'starttls' | 'tls';
  readonly username: string | null;
  /** Never answered; stored as it is. */
  readonly password: string | null;
  readonly from: string;
  readonly to: readonly string[];
}

/** HookSettings are those of a chat and of a plain webhook. */
export interface HookSettings {
  /** Never answered, since whoever knows it can post; stored as it is. */
  readonly webhookUrl: string;
}

/** SettingsByKind are the settings of each kind. */
export interface SettingsByKind {
  readonly github: GithubSettings;
  readonly gitlab: GitlabSettings;
  readonly jira: JiraSettings;
  readonly email: EmailSettings;
  readonly slack: HookSettings;
  readonly teams: HookSettings;
  readonly webhook: HookSettings;
}

/** ChannelState is what using a channel left behind; writing it is no change of the channel. Times are UTC milliseconds. */
export interface ChannelState {
  /** First run that had a candidate, or null. */
  readonly firstRunAt: number | null;
  /** The provider asked for quiet until then, or null. */
  readonly notBefore: number | null;
  readonly capWarnedAt: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
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
}

/** ChannelOf is a channel of one kind. */
export interface ChannelOf<K extends ChannelKind> extends Kept<K> {
  readonly settings: SettingsByKind[K];
  readonly fault: null;
}

/** Channel is a channel that can be used, told apart by `kind`. Tracker credentials are no part of it. */
export type Channel = { readonly [K in ChannelKind]: ChannelOf<K> }[ChannelKind];

/** TrackerChannel is a channel that opens issues. */
export type TrackerChannel = ChannelOf<'github'> | ChannelOf<'gitlab'> | ChannelOf<'jira'>;

/** FaultyChannel is one whose stored settings cannot be used as they are; it is listed, and mended by writing it anew. */
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

/**
 * JiraWay is what the authentication of a Jira channel selects: "Cloud uses `/rest/api/3` with structured-document (ADF) bodies.
 * Data center uses `/rest/api/2` with plain-text bodies."
 */
export type JiraWay =
  | { readonly credential: 'apiToken'; readonly api: 3; readonly bodies: 'adf' }
  | { readonly credential: 'bearerToken'; readonly api: 2; readonly bodies: 'text' };

/** jiraWay tells which API a Jira channel speaks: exactly one mechanism is configured, never both. */
export function jiraWay({ email }: Pick<JiraSettings, 'email'>): JiraWay {
  return email === null
    ? { credential: 'bearerToken', api: 2, bodies: 'text' }
    : { credential: 'apiToken', api: 3, bodies: 'adf' };
}

/** credentialField tells which credential a tracker channel is used with. */
export function credentialField(channel: TrackerChannel): CredentialField {
  return channel.kind === 'jira' ? jiraWay(channel.settings).credential : 'token';
}

/** targetOf tells where a channel leads, in a few words and without a secret; empty where that is not known. */
export function targetOf(channel: StoredChannel): string {
  if (channel.settings === null) return '';
  switch (channel.kind) {
    case 'github':
      return channel.settings.defaultRepo;
    case 'gitlab':
      return channel.settings.defaultProject;
    case 'jira':
      return channel.settings.projectKey;
    case 'email':
      return channel.settings.to.join(', ');
    case 'slack':
    case 'teams':
    case 'webhook':
      return new URL(channel.settings.webhookUrl).host;
  }
}
