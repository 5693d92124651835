/**
 * Where the service tells what happened: the channels of every kind, what each subscribes to, and the sealing of the credentials
 * of trackers. Nothing here calls a provider.
 * It uses no other folder.
 */
export { jiraForm, readBaseUrl, webHost, type JiraForm } from './base-url.ts';
export { CANNOT_READ, CANNOT_STORE, ChannelError, type ChannelErrorCode } from './channel-error.ts';
export {
  credentialField,
  isTracker,
  jiraWay,
  targetOf,
  type Channel,
  type ChannelOf,
  type ChannelState,
  type EmailSettings,
  type FaultyChannel,
  type GithubSettings,
  type GitlabSettings,
  type HookSettings,
  type JiraSettings,
  type JiraWay,
  type StoredChannel,
  type TrackerChannel,
} from './channel.ts';
export {
  openChannels,
  type ChannelDeps,
  type Channels,
  type ShownChannel,
  type WrittenChannel,
} from './channels.service.ts';
export { openCredentials, sealPlainCredentials, type CredentialDeps } from './credentials.service.ts';
export { DataKey, type KeyPurpose } from './data-key.ts';
export { openDocuments, toDocument, type ChannelDocument, type ReadDocument } from './document.ts';
export { CHANNEL_EVENTS, hasEffect, receives, type ChannelEvent } from './events.ts';
export {
  CHANNEL_KINDS,
  CREDENTIAL_FIELDS,
  isTrackerKind,
  TRACKER_KINDS,
  type ChannelKind,
  type CredentialField,
  type TrackerKind,
} from './kinds.ts';
export { MAX_CHANNEL_BYTES, parseChannelText } from './parse-text.ts';
export type { Imported } from './portable.ts';
export type {
  Adopted,
  AdoptionStore,
  ChannelPage,
  ChannelStore,
  ChannelTest,
  ChannelTester,
  ChannelWrite,
  CredentialFault,
  Credentials,
  ExpectedChannel,
  StoredCredential,
} from './ports.ts';
export type { ChannelRules } from './rules.ts';
export { channelJsonSchema } from './schema.ts';
export { isBox, seal, unseal, type Place } from './seal.ts';
export type { SecretState } from './secrets.ts';
export { toStoredChannel } from './stored.ts';
export { targetWarnings } from './target-warnings.ts';
export { isAllowedTarget } from './targets.ts';
export { tellTest, type TestStatus, type ToldTest } from './test-status.ts';
