import type { Secret } from '../base/index.ts';
import type { StoredChannel } from './channel.ts';
import { missingSecret, refusal, type ChannelDocument } from './document.ts';
import {
  isTrackerKind,
  tellerOf,
  trackerOf,
  type ChannelKind,
  type CredentialField,
  type SecretField,
  type TrackerKind,
} from './kinds.ts';
import type { StoredCredential } from './ports.ts';

/** SecretState is how a secret of a channel stands; its text is never shown. */
export interface SecretState {
  readonly field: CredentialField | SecretField;
  readonly state: 'set' | 'missing' | 'unreadable';
}

type Settings = Readonly<Record<string, unknown>>;

/** secretStates tells how the secrets of a channel stand. */
export function secretStates(
  channel: StoredChannel,
  stored: readonly StoredCredential[],
  open: (credential: StoredCredential) => Secret | null,
): readonly SecretState[] {
  const { kind } = channel;
  const settings = settingsOf(channel);
  if (isTrackerKind(kind)) {
    const field = trackerOf(kind).credential(settings);
    const credential = stored.find((one) => one.field === field);
    if (credential === undefined) return [{ field, state: 'missing' }];
    return [{ field, state: open(credential) === null ? 'unreadable' : 'set' }];
  }
  return tellerOf(kind).secrets.map(({ field }) => ({
    field,
    state: typeof settings[field] === 'string' ? 'set' : 'missing',
  }));
}

/**
 * needsFrom tells why a tracker channel must have its credential entered with this write, or null: where it has none and is enabled,
 * and where its address leads to another host than the credential was given for.
 */
export function needsFrom(
  document: ChannelDocument,
  needed: CredentialField,
  before: StoredChannel | null,
  isThere: boolean,
): { readonly message: string; readonly hint?: string } | null {
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

/** keptSecrets gives what `withKeptSecrets` does, and throws where a secret that the channel cannot do without is missing too. */
export function keptSecrets(
  kind: Exclude<ChannelKind, TrackerKind>,
  settings: Settings,
  before: StoredChannel | null,
): Settings {
  const kept = withKeptSecrets(kind, settings, before);
  const missing = missingSecret(kind, kept);
  if (missing !== null) throw refusal([{ path: missing, message: 'is missing' }]);
  return kept;
}

/**
 * withKeptSecrets gives the settings of a channel that is not a tracker with the secrets that its document left out. Throws where one would
 * go to another server than the one it was given for.
 */
export function withKeptSecrets(
  kind: Exclude<ChannelKind, TrackerKind>,
  settings: Settings,
  before: StoredChannel | null,
): Settings {
  const earlier = before === null ? {} : settingsOf(before);
  const kept: Record<string, unknown> = { ...settings };
  for (const { field, boundTo } of tellerOf(kind).secrets) {
    const secret = earlier[field];
    if (settings[field] !== undefined || typeof secret !== 'string') continue;
    const differs = boundTo.filter((one) => earlier[one] !== undefined && earlier[one] !== settings[one]);
    if (differs.length > 0)
      throw refusal(
        [{ path: field, message: `must be entered again, since ${differs.join(' and ')} changed` }],
        'What was stored is for the server before; null in its place takes it away',
      );
    kept[field] = secret;
  }
  return kept;
}

/** The settings of a channel as they are stored, usable or not. */
function settingsOf(channel: StoredChannel): Settings {
  return { ...(channel.settings ?? channel.stored) };
}

function originOf({ apiBaseUrl }: Settings): string | null {
  return typeof apiBaseUrl === 'string' && URL.canParse(apiBaseUrl) ? new URL(apiBaseUrl).origin : null;
}
