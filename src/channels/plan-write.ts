import { isDeepStrictEqual } from 'node:util';
import { Secret, type Clock } from '../base/index.ts';
import { cannotStore } from './channel-error.ts';
import type { StoredChannel } from './channel.ts';
import type { DataKey } from './data-key.ts';
import { refusal, type ChannelDocument } from './document.ts';
import { isTrackerKind, SECRET_FIELDS, trackerOf } from './kinds.ts';
import type { ChannelStore, ChannelWrite, StoredCredential } from './ports.ts';
import { seal } from './seal.ts';
import { keptSecrets, needsFrom } from './secrets.ts';

/** Plan is what a write sets, and the credentials of a tracker that stand once it is done. */
export interface Plan {
  readonly write: ChannelWrite;
  readonly standing: readonly StoredCredential[];
}

/** PlanDeps are what plans are made with. */
export interface PlanDeps {
  readonly store: Pick<ChannelStore, 'credentials'>;
  /** Null where `DATA_KEY` is not set. */
  readonly dataKey: DataKey | null;
  readonly guard: (secret: Secret) => void;
  readonly clock: Clock;
}

/**
 * openPlans gives what plans a write: what a document says, with the secrets that it left out taken from what stands before. Throws
 * ChannelError `key_missing` for a tracker without `DATA_KEY`, and `invalid_request` where a secret must be entered.
 */
export function openPlans({ store, dataKey, guard, clock }: PlanDeps) {
  return async (
    id: string,
    document: ChannelDocument,
    before: StoredChannel | null,
    by: string | null,
  ): Promise<Plan> => {
    const { kind, name, enabled, subscriptions } = document;
    const write = { kind, name, enabled, subscriptions, at: clock.now(), by } as const;
    if (!isTrackerKind(kind)) {
      const settings = keptSecrets(kind, document.settings, before);
      for (const secret of SECRET_FIELDS.map((field) => settings[field]))
        if (typeof secret === 'string') guard(new Secret(secret));
      return { write: { ...write, settings, credential: null }, standing: [] };
    }
    if (dataKey === null) throw cannotStore();
    const { settings } = document;
    const field = trackerOf(kind).credential(settings);
    const entered = document.credentials.find((one) => one.field === field);
    if (entered !== undefined) {
      guard(entered.secret);
      const box = seal(dataKey, { channelId: id, field }, entered.secret);
      const standing = [{ channelId: id, field, value: box }];
      return { write: { ...write, settings, credential: { field, box } }, standing };
    }
    const stored = before === null ? [] : await store.credentials(before.id);
    const standing = stored.filter((one) => one.field === field);
    const fault = needsFrom(document, field, before, standing.length > 0);
    if (fault !== null) throw refusal([{ path: field, message: fault.message }], fault.hint);
    const credential = standing.length > 0 ? { field, box: null } : null;
    return { write: { ...write, settings, credential }, standing };
  };
}

/** isSame tells whether a write would leave everything as it is; a credential that was entered is always a change. */
export function isSame(document: ChannelDocument, write: ChannelWrite, before: StoredChannel): boolean {
  const { settings } = before;
  if (settings === null || document.credentials.length > 0) return false;
  const unset = Object.fromEntries(Object.entries(settings).filter(([, value]) => value === null));
  return (
    isDeepStrictEqual({ ...settings }, { ...unset, ...write.settings }) &&
    before.name === write.name &&
    before.enabled === write.enabled &&
    isDeepStrictEqual(before.subscriptions, write.subscriptions)
  );
}
