import type { Selectable, Transaction } from 'kysely';
import {
  CHANNEL_EVENTS,
  CHANNEL_KINDS,
  CREDENTIAL_FIELDS,
  toStoredChannel,
  type ChannelState,
  type ChannelStore,
  type ChannelWrite,
  type ExpectedChannel,
  type StoredChannel,
} from '../../channels/index.ts';
import { dropChannel } from '../outbox/index.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';

type ChannelRow = Selectable<Tables['channels']>;

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000;

/** channelStore keeps channels and their credentials in a database. */
export function channelStore(store: Store): ChannelStore {
  return {
    async list({ limit, offset }) {
      const known = store.read.selectFrom('channels').where('kind', 'in', [...CHANNEL_KINDS]);
      const rows = await known
        .selectAll()
        .orderBy('place')
        .limit(limit ?? ALL)
        .offset(offset)
        .execute();
      const { total } = await known
        .select((of) => of.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return { items: rows.map(toChannel), total };
    },
    async get(id) {
      const row = await store.read
        .selectFrom('channels')
        .selectAll()
        .where('id', '=', id)
        .where('kind', 'in', [...CHANNEL_KINDS])
        .executeTakeFirst();
      return row === undefined ? null : toChannel(row);
    },
    create: (id, channel) => store.write((transaction) => createChannel(transaction, id, channel)),
    replace: (id, channel, expected) =>
      store.write((transaction) => replaceChannel(transaction, id, channel, expected)),
    remove: (id, expected) => store.write((transaction) => removeChannel(transaction, id, expected)),
    setState: (id, state) =>
      store.write(async (transaction) => {
        const columns = stateColumns(state);
        if (Object.keys(columns).length > 0)
          await transaction.updateTable('channels').set(columns).where('id', '=', id).execute();
      }),
    resume: (id, at, isTracker) =>
      store.write(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('channels')
          .set(
            isTracker
              ? { resume_asked_at: at, resume_error: null }
              : { paused_since: null, resume_asked_at: null, resume_error: null },
          )
          .where('id', '=', id)
          .where('paused_since', 'is not', null)
          .executeTakeFirstOrThrow();
        return numUpdatedRows > 0n;
      }),
    async credentials(id) {
      const all = store.read
        .selectFrom('channel_credentials')
        .select(['channel_id', 'field', 'value'])
        .where('field', 'in', [...CREDENTIAL_FIELDS])
        .orderBy('channel_id')
        .orderBy('field');
      const rows = await (id === null ? all : all.where('channel_id', '=', id)).execute();
      return rows.flatMap(({ channel_id, field: name, value }) => {
        const field = CREDENTIAL_FIELDS.find((one) => one === name);
        return field === undefined ? [] : [{ channelId: channel_id, field, value }];
      });
    },
    seal: ({ channelId, field, value }, box) =>
      store.write(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('channel_credentials')
          .set({ value: box })
          .where('channel_id', '=', channelId)
          .where('field', '=', field)
          .where('value', '=', value)
          .executeTakeFirstOrThrow();
        return numUpdatedRows > 0n;
      }),
  };
}

async function createChannel(
  transaction: Transaction<Tables>,
  id: string,
  channel: ChannelWrite,
): Promise<StoredChannel | 'taken'> {
  await lock(transaction, channel.at);
  if (await isTaken(transaction, channel.name, id)) return 'taken';
  const { last } = await transaction
    .selectFrom('channels')
    .select((of) => of.fn.max('place').as('last'))
    .executeTakeFirstOrThrow();
  const row = await transaction
    .insertInto('channels')
    .values({
      id,
      kind: channel.kind,
      ...columnsOf(channel),
      created_at: channel.at,
      place: (last ?? 0) + 1,
      version: 1,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await keepCredential(transaction, id, channel);
  return toChannel(row);
}

async function replaceChannel(
  transaction: Transaction<Tables>,
  id: string,
  channel: ChannelWrite,
  expected: ExpectedChannel,
): Promise<StoredChannel | 'missing' | 'mismatch' | 'taken'> {
  await lock(transaction, channel.at);
  const before = await find(transaction, id);
  if (before === undefined) return 'missing';
  if (!stands(before, expected)) return 'mismatch';
  if (await isTaken(transaction, channel.name, id)) return 'taken';
  const row = await transaction
    .updateTable('channels')
    .set({ ...columnsOf(channel), version: before.version + 1 })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await keepCredential(transaction, id, channel);
  return toChannel(row);
}

async function removeChannel(
  transaction: Transaction<Tables>,
  id: string,
  expected: ExpectedChannel,
): Promise<StoredChannel | 'missing' | 'mismatch'> {
  await lock(transaction, null);
  const before = await find(transaction, id);
  if (before === undefined) return 'missing';
  if (!stands(before, expected)) return 'mismatch';
  await transaction.deleteFrom('channel_credentials').where('channel_id', '=', id).execute();
  await transaction.deleteFrom('channels').where('id', '=', id).execute();
  await dropChannel(transaction, id);
  return toChannel(before);
}

/** Writes of channels go one after another on PostgreSQL too: names and places are looked at before they are taken. */
async function lock(transaction: Transaction<Tables>, at: number | null): Promise<void> {
  await transaction
    .insertInto('settings')
    .values({ key: 'channels_written_at', value: String(at) })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: String(at) }))
    .execute();
}

function find(transaction: Transaction<Tables>, id: string): Promise<ChannelRow | undefined> {
  return transaction
    .selectFrom('channels')
    .selectAll()
    .where('id', '=', id)
    .where('kind', 'in', [...CHANNEL_KINDS])
    .executeTakeFirst();
}

async function isTaken(transaction: Transaction<Tables>, name: string, id: string): Promise<boolean> {
  const other = await transaction
    .selectFrom('channels')
    .select('id')
    .where('name', '=', name)
    .where('id', '!=', id)
    .executeTakeFirst();
  return other !== undefined;
}

async function keepCredential(
  transaction: Transaction<Tables>,
  id: string,
  { credential, at }: ChannelWrite,
): Promise<void> {
  let others = transaction.deleteFrom('channel_credentials').where('channel_id', '=', id);
  if (credential !== null) others = others.where('field', '!=', credential.field);
  await others.execute();
  if (credential === null || credential.box === null) return;
  const value = { value: credential.box, updated_at: at };
  await transaction
    .insertInto('channel_credentials')
    .values({ channel_id: id, field: credential.field, ...value })
    .onConflict((conflict) => conflict.columns(['channel_id', 'field']).doUpdateSet(value))
    .execute();
}

function columnsOf({ name, enabled, settings, subscriptions, at, by }: ChannelWrite) {
  return {
    name,
    enabled: enabled ? 1 : 0,
    settings: JSON.stringify(settings),
    subscriptions: JSON.stringify(subscriptions),
    updated_at: at,
    updated_by: by,
  };
}

function stateColumns(state: Partial<ChannelState>): Partial<ChannelRow> {
  const { firstRunAt, notBefore, capWarnedAt, lastError, lastErrorAt } = state;
  return {
    ...(firstRunAt !== undefined && { first_run_at: firstRunAt }),
    ...(notBefore !== undefined && { not_before: notBefore }),
    ...(capWarnedAt !== undefined && { cap_warned_at: capWarnedAt }),
    ...(lastError !== undefined && { last_error: lastError }),
    ...(lastErrorAt !== undefined && { last_error_at: lastErrorAt }),
  };
}

function stands({ version }: ChannelRow, expected: ExpectedChannel): boolean {
  return expected === 'any' || expected.includes(String(version));
}

function toChannel(row: ChannelRow): StoredChannel {
  const events = listOf(row.subscriptions);
  return toStoredChannel(
    {
      id: row.id,
      name: row.name,
      enabled: row.enabled === 1,
      subscriptions: CHANNEL_EVENTS.filter((event) => events.includes(event)),
      createdAt: row.created_at,
      place: row.place,
      version: String(row.version),
      updatedAt: row.updated_at,
      updatedBy: row.updated_by,
      firstRunAt: row.first_run_at,
      notBefore: row.not_before,
      capWarnedAt: row.cap_warned_at,
      lastError: row.last_error,
      lastErrorAt: row.last_error_at,
      ...(row.paused_since !== null && {
        paused: { since: row.paused_since, askedAt: row.resume_asked_at, error: row.resume_error },
      }),
    },
    CHANNEL_KINDS.find((kind) => kind === row.kind) ?? 'webhook',
    parsed(row.settings),
  );
}

function listOf(text: string): readonly unknown[] {
  const value = parsed(text);
  return Array.isArray(value) ? value : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // of an earlier release, or damaged: the channel is shown as one that cannot be used
  }
}
