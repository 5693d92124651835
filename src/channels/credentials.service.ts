import { Secret, type Log } from '../base/index.ts';
import { CANNOT_STORE } from './channel-error.ts';
import { credentialField, type TrackerChannel } from './channel.ts';
import type { DataKey } from './data-key.ts';
import type { ChannelStore, Credentials, StoredCredential } from './ports.ts';
import { isBox, seal, unseal } from './seal.ts';

/** CredentialDeps are what credentials are kept with. */
export interface CredentialDeps {
  readonly store: Pick<ChannelStore, 'credentials' | 'seal'>;
  /** Null where `DATA_KEY` is not set. */
  readonly dataKey: DataKey | null;
  /** Is told every secret before it goes anywhere, so that no log shows it. */
  readonly guard: (secret: Secret) => void;
  readonly log: Log;
}

/** openCredentials opens the credentials of tracker channels. It says once in the log when they cannot be stored. */
export function openCredentials({ store, dataKey, guard, log }: CredentialDeps): Credentials {
  if (dataKey === null) log.warn(CANNOT_STORE);
  const guarded = new Map<string, string>();
  return {
    async open(channel: TrackerChannel) {
      const field = credentialField(channel);
      const stored = (await store.credentials(channel.id)).find((one) => one.field === field);
      if (stored === undefined) return 'missing';
      const secret = openStored(dataKey, stored);
      if (secret === null) return 'unreadable';
      // Telling it again with every call would make the log recreate its patterns.
      if (guarded.get(channel.id) !== stored.value) guard(secret);
      guarded.set(channel.id, stored.value);
      return secret;
    },
  };
}

/**
 * openStored opens a credential as it is stored. Null without the key, for a box that does not open, and for plain text of an
 * earlier release, which is not used before it is sealed.
 */
export function openStored(
  dataKey: DataKey | null,
  { channelId, field, value }: StoredCredential,
): Secret | null {
  return dataKey === null ? null : unseal(dataKey, { channelId, field }, value);
}

/**
 * sealPlainCredentials is done when a replica begins to lead: "the leader replica seals any plaintext tracker credential left from earlier
 * versions and logs how many it changed. A second run changes nothing." Each is sealed by an act of its own, so an end in the middle leaves
 * the rest to the next start; one that was entered again meanwhile is not touched. Gives how many it changed.
 */
export async function sealPlainCredentials({ store, dataKey, guard, log }: CredentialDeps): Promise<number> {
  if (dataKey === null) return 0;
  let changed = 0;
  for (const stored of await store.credentials(null)) {
    if (isBox(stored.value)) continue;
    const secret = new Secret(stored.value);
    guard(secret);
    if (await store.seal(stored, seal(dataKey, stored, secret))) changed += 1;
  }
  log.info('plain tracker credentials were sealed', { changed });
  return changed;
}
