/**
 * Where the service tells what happened: the channels of every kind, what each subscribes to, and the sealing of the credentials
 * of trackers. Nothing here calls a provider.
 * It uses `syntax`.
 */
export { readBaseUrl, webHost } from './base-url.ts';
export { CANNOT_READ, CANNOT_STORE, ChannelError } from './channel-error.ts';
export {
  isTracker,
  targetOf,
  type Channel,
  type ChannelOf,
  type ChannelState,
  type StoredChannel,
  type TrackerChannel,
} from './channel.ts';
export { openChannels, type Channels, type ShownChannel, type WrittenChannel } from './channels.service.ts';
export {
  openCredentials,
  sealPlainCredentials,
  type CredentialDeps,
  openStored,
} from './credentials.service.ts';
export { DataKey } from './data-key.ts';
export { openDocuments, toDocument } from './document.ts';
export { CHANNEL_EVENTS, type ChannelEvent } from './events.ts';
export type { TokenLook, Tracker } from './kind.ts';
export type { EmailSettings } from './kinds/email.ts';
export type { GithubSettings } from './kinds/github.ts';
export type { GitlabSettings } from './kinds/gitlab.ts';
export { jiraForm, jiraWay, type JiraSettings, type JiraWay } from './kinds/jira.ts';
export {
  CHANNEL_KINDS,
  CREDENTIAL_FIELDS,
  isTrackerKind,
  kindOf,
  SECRET_FIELDS,
  tellerOf,
  TRACKER_KINDS,
  trackerOf,
  type ChannelKind,
  type CredentialField,
  type TellerKind,
  type TrackerKind,
} from './kinds.ts';
export { MAX_CHANNEL_BYTES, parseChannelText } from './parse-text.ts';
export { hostFault, hostOfSettings } from './outbound-url.ts';
export type {
  AdoptionStore,
  ChannelStore,
  ChannelTest,
  ChannelWrite,
  CredentialFault,
  Credentials,
  ExpectedChannel,
} from './ports.ts';
export type { ChannelRules } from './rules.ts';
export { channelFieldTypes, channelJsonSchema } from './schema.ts';
export { isBox, seal, unseal, type Place } from './seal.ts';
export { toStoredChannel } from './stored.ts';
export { MAX_MUTE, MESSAGE_ID } from './messages.ts';
export { defaultEvents, hasEffect, receives } from './subscription.ts';
export { targetWarnings } from './target-warnings.ts';
export { isAllowedTarget } from './targets.ts';
export { tellTest, type TestStatus } from './test-status.ts';
