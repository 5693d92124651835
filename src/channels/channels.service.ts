import { randomLetters, type Clock, type Secret } from '../base/index.ts';
import { webHost } from './base-url.ts';
import { CANNOT_READ, ChannelError } from './channel-error.ts';
import { isTracker, type StoredChannel } from './channel.ts';
import { openStored } from './credentials.service.ts';
import type { DataKey } from './data-key.ts';
import { openDocuments, refusal, toDocument, type ChannelDocument } from './document.ts';
import { isTrackerKind } from './kinds.ts';
import { isSame, openPlans } from './plan-write.ts';
import { openPortable, type PlannedChannel } from './portable.ts';
import type {
  Adopted,
  AdoptionStore,
  ChannelPage,
  ChannelStore,
  ChannelTest,
  ChannelTester,
  Credentials,
  ExpectedChannel,
  StoredCredential,
} from './ports.ts';
import type { ChannelRules } from './rules.ts';
import { tellTest, type ToldTest } from './test-status.ts';
import { secretStates, type SecretState } from './secrets.ts';

/** ShownChannel is a channel with how its secrets stand. */
export interface ShownChannel {
  readonly channel: StoredChannel;
  readonly secrets: readonly SecretState[];
}

/** WrittenChannel is the outcome of a write; `changed` is false where nothing differed. */
export interface WrittenChannel extends ShownChannel {
  readonly changed: boolean;
}

/** Channels are the channels of the service. */
export interface Channels {
  /** In order of creation. */
  list(page: ChannelPage): Promise<{ readonly items: readonly ShownChannel[]; readonly total: number }>;
  /** Throws `not_found`. */
  get(id: string): Promise<ShownChannel>;
  /** Throws `invalid_request`, `key_missing`, and `conflict` when the name is taken. */
  create(document: unknown, by: string | null): Promise<WrittenChannel>;
  /** Writes the whole document; secrets that it leaves out stay. Throws as `create`, `not_found` and `precondition_failed`. */
  update(
    id: string,
    document: unknown,
    expected: ExpectedChannel,
    by: string | null,
  ): Promise<WrittenChannel>;
  /** Gives what was deleted. Its rows of the tracking history keep its id and stay open. Throws `not_found`, `precondition_failed`. */
  remove(id: string, expected: ExpectedChannel): Promise<StoredChannel>;
  /**
   * Lets a tracker channel close the open rows of one that is deleted: piece by piece, each with what `record` writes of it. Throws
   * `not_found`, `conflict`, `invalid_request`.
   */
  adopt(id: string, from: string, record: (piece: Adopted) => Promise<void>): Promise<Adopted>;
  /**
   * Lets a channel go on that is paused since a restore: a tracker once the leader has looked up what was filed since the backup, any other
   * at once. `changed` is false where it is not paused. Throws `not_found`.
   */
  resume(id: string): Promise<WrittenChannel>;
  /** Makes the one read of a tracker channel, or sends one test message over another. Throws `not_found`. */
  test(
    id: string,
    by: string,
  ): Promise<{
    readonly channel: StoredChannel;
    readonly test: ChannelTest;
    readonly told: ToldTest;
  }>;
  /** Every channel for a bundle: neither secrets nor their boxes are in it. */
  export(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** What becomes of a channel of a bundle. Throws `invalid_request`. */
  plan(document: unknown): Promise<PlannedChannel>;
}

/** ChannelDeps are what channels are kept and used with. */
export interface ChannelDeps {
  readonly store: ChannelStore;
  readonly adoptions: AdoptionStore;
  readonly credentials: Credentials;
  readonly tester: ChannelTester;
  /** Null where `DATA_KEY` is not set. */
  readonly dataKey: DataKey | null;
  readonly rules: ChannelRules;
  /** Is told every secret before it goes anywhere, so that no log shows it. */
  readonly guard: (secret: Secret) => void;
  readonly clock: Clock;
}

/** openChannels joins the channels to where they are kept. */
export function openChannels(deps: ChannelDeps): Channels {
  const { store, credentials, tester, dataKey, guard, clock } = deps;
  const read = openDocuments(deps.rules);

  const shownTest = (channel: StoredChannel, test: ChannelTest): Awaited<ReturnType<Channels['test']>> => ({
    channel,
    test,
    told: tellTest(test, clock.now()),
  });

  const on: WritingContext = { store, dataKey, planOf: openPlans({ store, dataKey, guard, clock }) };

  return {
    async list(page) {
      const { items, total } = await store.list(page);
      const stored = await store.credentials(null);
      return {
        items: items.map((channel) =>
          shown(
            dataKey,
            channel,
            stored.filter(({ channelId }) => channelId === channel.id),
          ),
        ),
        total,
      };
    },
    async get(id) {
      const channel = await find(store, id);
      return shown(dataKey, channel, await store.credentials(id));
    },
    async create(value, by) {
      const document = read(value);
      const id = randomLetters(16);
      const { write, standing } = await on.planOf(id, document, null, by);
      const made = await store.create(id, write);
      if (made === 'taken') throw taken(document.name);
      return { ...shown(dataKey, made, standing), changed: true };
    },
    update: (id, value, expected, by) => update(on, id, read(value), expected, by),
    async remove(id, expected) {
      const outcome = await store.remove(id, expected);
      if (outcome === 'missing') throw notFound(id);
      if (outcome === 'mismatch') throw mismatch(await find(store, id));
      return outcome;
    },
    async resume(id) {
      const { kind } = await find(store, id);
      const changed = await store.resume(id, clock.now(), isTrackerKind(kind));
      return { ...shown(dataKey, await find(store, id), await store.credentials(id)), changed };
    },
    adopt: (id, from, record) => adopt(deps, id, from, record),
    async test(id, by) {
      const channel = await find(store, id);
      if (channel.settings === null)
        return shownTest(channel, failed(channel.fault, 'Write the channel again'));
      if (!isTracker(channel)) return shownTest(channel, await tester.tell(channel, by));
      const credential = await credentials.open(channel);
      if (credential === 'unreadable') return shownTest(channel, failed(CANNOT_READ, ENTER));
      if (credential === 'missing') return shownTest(channel, failed('no token is stored', ENTER));
      return shownTest(channel, await tester.test(channel, credential));
    },
    async export() {
      const { items } = await store.list({ limit: null, offset: 0 });
      return items.map(toDocument);
    },
    plan: openPortable({ read, store, clock }),
  };
}

/** What writing a channel takes. */
interface WritingContext {
  readonly store: ChannelStore;
  readonly dataKey: DataKey | null;
  readonly planOf: ReturnType<typeof openPlans>;
}

async function find(store: ChannelStore, id: string): Promise<StoredChannel> {
  const channel = await store.get(id);
  if (channel === null) throw notFound(id);
  return channel;
}

function shown(
  dataKey: DataKey | null,
  channel: StoredChannel,
  stored: readonly StoredCredential[],
): ShownChannel {
  return { channel, secrets: secretStates(channel, stored, (one) => openStored(dataKey, one)) };
}

async function update(
  { store, dataKey, planOf }: WritingContext,
  id: string,
  document: ChannelDocument,
  expected: ExpectedChannel,
  by: string | null,
): Promise<WrittenChannel> {
  for (let left = ATTEMPTS; ; left -= 1) {
    const before = await find(store, id);
    if (expected !== 'any' && !expected.includes(before.version)) throw mismatch(before);
    if (document.kind !== before.kind) {
      const message = `the channel is of the kind ${before.kind}, which cannot change to ${document.kind}`;
      throw refusal([{ path: 'kind', message }], 'Make another channel, and delete this one');
    }
    const { write, standing } = await planOf(id, document, before, by);
    if (isSame(document, write, before)) return { ...shown(dataKey, before, standing), changed: false };
    const outcome = await store.replace(id, write, [before.version]);
    if (outcome === 'missing') throw notFound(id);
    if (outcome === 'taken') throw taken(document.name);
    if (outcome !== 'mismatch') return { ...shown(dataKey, outcome, standing), changed: true };
    // Somebody else wrote meanwhile; who writes over whatever stands need not hear of it.
    if (expected !== 'any' || left === 0) throw mismatch(before);
  }
}

async function adopt(
  { store, adoptions }: ChannelDeps,
  id: string,
  from: string,
  record: (piece: Adopted) => Promise<void>,
): Promise<Adopted> {
  const channel = await find(store, id);
  if (!isTracker(channel)) {
    const message = isTrackerKind(channel.kind)
      ? `the channel ${channel.name} cannot be used: ${channel.fault ?? ''}`
      : `only a tracker channel can close issues; ${channel.name} is a channel of the kind ${channel.kind}`;
    throw new ChannelError('invalid_request', message);
  }
  if ((await store.get(from)) !== null) {
    throw new ChannelError('conflict', `the channel ${from} is there and closes its own issues`, {
      hint: 'Only the rows of a deleted channel can be adopted',
    });
  }
  const outcome = await adoptions.adopt(from, channel, webHost(channel), record);
  if (outcome === 'none') {
    throw new ChannelError('not_found', `no open row was filed by a channel ${from}`, {
      hint: 'ipo tracking list shows the rows with the channels that filed them',
    });
  }
  if (outcome === 'other_kind') {
    throw new ChannelError('conflict', `the channel ${from} was not one of ${channel.kind}`, {
      hint: 'Name a channel of the kind that filed the issues',
    });
  }
  return outcome;
}

/** How often a write over whatever stands begins again when others write at the same time. */
const ATTEMPTS = 5;

const ENTER = 'Enter the token again: ipo channel edit CHANNEL --credential-stdin';

function failed(sentence: string, hint: string): ChannelTest {
  return { works: false, sentence, hints: [hint] };
}

function notFound(id: string): ChannelError {
  return new ChannelError('not_found', `no channel has the ID ${id}`, {
    hint: 'GET /api/v1/channels lists all channels',
  });
}

function taken(name: string): ChannelError {
  return new ChannelError('conflict', `a channel named ${name} already exists`, {
    hint: 'Choose another name, or change the channel that has it',
  });
}

function mismatch({ name }: StoredChannel): ChannelError {
  return new ChannelError('precondition_failed', `the channel ${name} has been changed since it was read`, {
    hint: 'Read it again, look at what changed, and send its new ETag as If-Match',
  });
}
