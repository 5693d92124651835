import type { Clock } from '../base/index.ts';
import type { ChannelDocument, ReadDocument } from './document.ts';
import { refusal } from './document.ts';
import { isTrackerKind, SECRET_FIELDS, tellerOf } from './kinds.ts';
import type { ChannelStore, ChannelWrite } from './ports.ts';
import { targetWarnings } from './target-warnings.ts';

/** Imported is what became of one channel of a bundle. */
export interface Imported {
  readonly name: string;
  /** `exists`: a channel of this name was there, and was left as it is. `disabled`: made, and waits for its secret. */
  readonly outcome: 'created' | 'disabled' | 'exists';
  /** What a channel that was made allows and its importer should know, a sentence each. */
  readonly warnings: readonly string[];
}

/** ImportDeps are what a bundle is brought in with. */
export interface ImportDeps {
  readonly read: ReadDocument;
  readonly store: Pick<ChannelStore, 'create'>;
  together<T>(act: () => Promise<T>): Promise<T>;
  readonly clock: Clock;
  newId(): string;
}

/**
 * importAll makes the channels of a bundle under new ids, all or none. "The configuration export bundle contains neither the token
 * nor its ciphertext. An imported tracker channel arrives disabled until a token is entered"; so does every other channel whose
 * secret did not travel. Throws ChannelError `invalid_request`, with the number of the channel in each path.
 */
export async function importAll(
  documents: readonly unknown[],
  by: string | null,
  { read, store, together, clock, newId }: ImportDeps,
): Promise<readonly Imported[]> {
  const channels = documents.map((value, at) => readOne(value, at, read));
  return together(async () => {
    const outcomes: Imported[] = [];
    for (const { kind, name, subscriptions, settings, enabled } of channels) {
      const waits = lacksSecret(kind, settings);
      const write: ChannelWrite = {
        kind,
        name,
        enabled: enabled && !waits,
        subscriptions,
        settings,
        credential: null,
        at: clock.now(),
        by,
      };
      const made = await store.create(newId(), write);
      if (made === 'taken') outcomes.push({ name, outcome: 'exists', warnings: [] });
      else outcomes.push({ name, outcome: waits ? 'disabled' : 'created', warnings: targetWarnings(made) });
    }
    return outcomes;
  });
}

function readOne(value: unknown, at: number, read: ReadDocument): ChannelDocument {
  const document = inside(at, () => read(value));
  const secrets = [
    ...document.credentials.map(({ field }) => field),
    ...SECRET_FIELDS.filter((field) => typeof document.settings[field] === 'string'),
  ];
  if (secrets.length === 0) return document;
  throw refusal(
    secrets.map((field) => ({
      path: `[${at}].${field}`,
      message: `[${at}].${field} is a secret, and secrets do not travel in a bundle`,
    })),
    'Leave it out, and enter it once the channel is there',
  );
}

function inside<T>(at: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { fields } = error as {
      readonly fields?: readonly { readonly path: string; readonly message: string }[];
    };
    if (fields === undefined) throw error;
    throw refusal(
      fields.map(({ path, message }) => ({
        path: `[${at}]${path === '' || path.startsWith('[') ? '' : '.'}${path}`,
        message,
      })),
    );
  }
}

/** A tracker, a chat, or a mail server that one signs in to. */
function lacksSecret(kind: ChannelDocument['kind'], settings: Readonly<Record<string, unknown>>): boolean {
  return isTrackerKind(kind) || tellerOf(kind).needsSecret(settings);
}
