import { isDeepStrictEqual } from 'node:util';
import { randomLetters, type Clock } from '../base/index.ts';
import { ChannelError } from './channel-error.ts';
import type { StoredChannel } from './channel.ts';
import { missingSecret, refusal, toDocument, type ChannelDocument, type ReadDocument } from './document.ts';
import { isTrackerKind, SECRET_FIELDS, tellerOf, trackerOf } from './kinds.ts';
import type { ChannelStore, ChannelWrite } from './ports.ts';
import { needsFrom, withKeptSecrets } from './secrets.ts';
import { toStoredChannel } from './stored.ts';
import { targetWarnings } from './target-warnings.ts';

/** PlannedChannel is what becomes of one channel of a bundle. */
export interface PlannedChannel {
  readonly name: string;
  readonly change: 'create' | 'update' | 'unchanged';
  /** Null for one that is new. */
  readonly before: StoredChannel | null;
  /** How it would be written by a person afterwards. */
  readonly after: Readonly<Record<string, unknown>>;
  /** Whether it stays disabled until its secret is entered. */
  readonly waits: boolean;
  /** What it allows and its importer should know, a sentence each. */
  readonly warnings: readonly string[];
  /** Writes it. Throws `conflict` and `precondition_failed` where somebody else wrote meanwhile. */
  apply(by: string | null): Promise<StoredChannel>;
}

/** PortableDeps are what the channels of a bundle are planned with. */
export interface PortableDeps {
  readonly read: ReadDocument;
  readonly store: Pick<ChannelStore, 'list' | 'credentials' | 'create' | 'replace'>;
  readonly clock: Clock;
}

/**
 * openPortable gives what plans the channel of a bundle. Neither a token nor its ciphertext is in one: a channel of the same name and host
 * keeps id, secret and state, and a channel whose secret is not there arrives disabled until it is entered. Throws ChannelError
 * `invalid_request`.
 */
export function openPortable({ read, store, clock }: PortableDeps) {
  return async (value: unknown): Promise<PlannedChannel> => {
    const document = readPortable(value, read);
    const { kind, name, subscriptions } = document;
    const { items } = await store.list({ limit: null, offset: 0 });
    const before = items.find((one) => one.name === name) ?? null;
    if (before !== null && before.kind !== kind) {
      const message = `the channel ${name} is of the kind ${before.kind}, which cannot change to ${kind}`;
      throw refusal([{ path: 'kind', message }], 'Give it another name, or delete the one that is there');
    }
    const { settings, credential, waits } = await secretsOf(document, before, store);
    const enabled = document.enabled && !waits;
    const write: Omit<ChannelWrite, 'by'> = {
      kind,
      name,
      enabled,
      subscriptions,
      settings,
      credential,
      at: clock.now(),
    };
    const made = toStoredChannel({ ...(before ?? NEW), name, enabled, subscriptions }, kind, settings);
    // Secrets stay as they are, so what a person would write says all. A channel that waits for its secret is faulty, and may be as it should.
    const same = before !== null && isDeepStrictEqual(toDocument(before), toDocument(made));
    const changed = same ? 'unchanged' : 'update';
    return {
      name,
      before,
      waits,
      change: before === null ? 'create' : changed,
      after: toDocument(made),
      warnings: targetWarnings(made),
      async apply(by) {
        const outcome =
          before === null
            ? await store.create(randomLetters(16), { ...write, by })
            : await store.replace(before.id, { ...write, by }, [before.version]);
        if (outcome === 'taken') throw new ChannelError('conflict', `a channel named ${name} already exists`);
        if (outcome === 'missing' || outcome === 'mismatch')
          throw new ChannelError(
            'precondition_failed',
            `the channel ${name} has been changed since it was read`,
          );
        return outcome;
      },
    };
  };
}

/** What a channel that is not there yet has left behind: nothing. */
const NEW = {
  id: '',
  createdAt: 0,
  place: 0,
  version: '',
  updatedAt: 0,
  updatedBy: null,
  firstRunAt: null,
  notBefore: null,
  capWarnedAt: null,
  lastError: null,
  lastErrorAt: null,
} as const;

/** The settings with the secrets that stand, the credential of a tracker, and whether one is missing. */
async function secretsOf(
  document: ChannelDocument,
  before: StoredChannel | null,
  store: PortableDeps['store'],
): Promise<Pick<ChannelWrite, 'settings' | 'credential'> & { readonly waits: boolean }> {
  const { kind, settings } = document;
  if (!isTrackerKind(kind)) {
    const kept = withKeptSecrets(kind, settings, before);
    const { secrets, needsSecret } = tellerOf(kind);
    const has = secrets.some(({ field }) => typeof kept[field] === 'string');
    // Mail may be sent without a password by a channel that somebody has enabled so.
    const waits =
      missingSecret(kind, kept) !== null || (needsSecret(kept) && !has && before?.enabled !== true);
    return { settings: kept, credential: null, waits };
  }
  const field = trackerOf(kind).credential(settings);
  const stored = before === null ? [] : await store.credentials(before.id);
  if (stored.length === 0) return { settings, credential: null, waits: true };
  const fault = needsFrom(
    document,
    field,
    before,
    stored.some((one) => one.field === field),
  );
  if (fault !== null) throw refusal([{ path: field, message: fault.message }], fault.hint);
  return { settings, credential: { field, box: null }, waits: false };
}

function readPortable(value: unknown, read: ReadDocument): ChannelDocument {
  const document = read(value);
  const secrets = [
    ...document.credentials.map(({ field }) => field),
    ...SECRET_FIELDS.filter((field) => typeof document.settings[field] === 'string'),
  ];
  if (secrets.length === 0) return document;
  throw refusal(
    secrets.map((field) => ({
      path: field,
      message: 'is a secret, and secrets do not travel in a bundle',
    })),
    'Leave it out, and enter it once the channel is there',
  );
}
