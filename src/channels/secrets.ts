import type { Secret } from '../base/index.ts';
import { jiraWay, type StoredChannel } from './channel.ts';
import { isHook, refusal, type ChannelDocument } from './document.ts';
import { isTrackerKind, type CredentialField, type SecretField } from './kinds.ts';
import type { StoredCredential } from './ports.ts';

/** SecretState is how a secret of a channel stands; its text is never shown. */
export interface SecretState {
  readonly field: CredentialField | SecretField;
  readonly state: 'set' | 'missing' | 'unreadable';
}

type Settings = Readonly<Record<string, unknown>>;

/** credentialOf tells which credential the document of a tracker channel needs. */
export function credentialOf({
  kind,
  settings,
}: Pick<ChannelDocument, 'kind' | 'settings'>): CredentialField {
  const { email } = settings;
  return kind === 'jira' ? jiraWay({ email: typeof email === 'string' ? email : null }).credential : 'token';
}

/** secretStates tells how the secrets of a channel stand. */
export function secretStates(
  channel: StoredChannel,
  stored: readonly StoredCredential[],
  open: (credential: StoredCredential) => Secret | null,
): readonly SecretState[] {
  const { kind } = channel;
  const settings = settingsOf(channel);
  if (isTrackerKind(kind)) {
    const field = credentialOf({ kind, settings });
    const credential = stored.find((one) => one.field === field);
    if (credential === undefined) return [{ field, state: 'missing' }];
    return [{ field, state: open(credential) === null ? 'unreadable' : 'set' }];
  }
  const field = isHook(kind) ? 'webhookUrl' : 'password';
  return [{ field, state: typeof settings[field] === 'string' ? 'set' : 'missing' }];
}

/**
 * needsFrom tells why a tracker channel must have its credential entered with this write, or null: where it has none and is enabled,
 * and where its address leads to another host than the credential was given for.
 */
export function needsFrom(
  document: ChannelDocument,
  before: StoredChannel | null,
  isThere: boolean,
): { readonly message: string; readonly hint?: string } | null {
  const needed = credentialOf(document);
  if (!isThere) {
    if (!document.enabled) return null;
    const message = `${needed} is missing, without which an enabled channel cannot file`;
    return before === null
      ? { message }
      : { message, hint: `Enter ${needed}, or leave the channel disabled` };
  }
  const origin = originOf(document.settings);
  const earlier = before === null ? null : originOf(settingsOf(before));
  if (earlier === origin) return null;
  return {
    message: `${needed} must be entered again, since apiBaseUrl leads to another host now`,
    hint: 'What was stored is for the host before, and is not sent to another',
  };
}

/**
 * keptSecrets gives the settings of a channel that is no tracker with the secrets that its document left out. Throws where one is
 * missing, and where a password would go to another server than the one it was given for.
 */
export function keptSecrets(document: ChannelDocument, before: StoredChannel | null): Settings {
  const { kind, settings } = document;
  const earlier = before === null ? {} : settingsOf(before);
  if (isHook(kind)) {
    const webhookUrl = settings['webhookUrl'] ?? earlier['webhookUrl'];
    if (typeof webhookUrl === 'string') return { ...settings, webhookUrl };
    throw refusal([{ path: 'webhookUrl', message: 'is missing' }]);
  }
  const { password } = earlier;
  if (settings['password'] !== undefined || typeof password !== 'string') return settings;
  const differs = ['host', 'port', 'security'].filter(
    (field) => earlier[field] !== undefined && earlier[field] !== settings[field],
  );
  if (differs.length === 0) return { ...settings, password };
  throw refusal(
    [{ path: 'password', message: `must be entered again, since ${differs.join(' and ')} changed` }],
    'What was stored is for the server before; null in its place takes it away',
  );
}

/** The settings of a channel as they are stored, usable or not. */
function settingsOf(channel: StoredChannel): Settings {
  return { ...(channel.settings ?? channel.stored) };
}

function originOf({ apiBaseUrl }: Settings): string | null {
  return typeof apiBaseUrl === 'string' && URL.canParse(apiBaseUrl) ? new URL(apiBaseUrl).origin : null;
}
