import { sql, type RawBuilder } from 'kysely';
import { CHANNEL_EVENTS, type ChannelEvent } from '../../channels/index.ts';
import {
  digestsIn,
  DELIVERY_STATES,
  toSections,
  type Content,
  type Delivery,
  type DeliveryContent,
  type DeliveryStore,
  type Ended,
  type Entry,
  type KnownPlace,
  type Payload,
  type TellerChannel,
} from '../../notify/index.ts';
import type { KnownImage } from '../../trackers/index.ts';
import { heldAlone, insertMany } from '../sql/dialect.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';
import { readImages } from '../tracking/issue-images.ts';
import { readMute } from './mutes.ts';
import { writeEvents } from '../outbox/index.ts';
import { pruneSome, readCounts } from './delivery-upkeep.ts';

const MOST_REFERENCES = 10;
/** Workloads of an image that are kept for a message; it counts the others. */
const MOST_WORKLOADS = 3;
const MAX_TEXT = 1000;

/** deliveryStore keeps what waits for the channels in a database; its writes hold the fence of the job that makes them. */
export function deliveryStore(store: Store): DeliveryStore {
  const { read } = store;
  return {
    async waiting() {
      const rows = await run(
        read,
        sql<
          Row<'outbox', 'channel_id'>
        >`select id as channel_id from channels c where enabled = 1 and (exists (select 1 from outbox o where o.channel_id = c.id)
           or exists (select 1 from deliveries d where d.channel_id = c.id and d.state = 'waiting')) order by place`,
      );
      return rows.map(({ channel_id }) => channel_id);
    },
    async due(channelId, now) {
      const [open] = await run(
        read,
        sql<DeliveryRow & ContentRow>`select ${COLUMNS}, content, refs from deliveries
         where channel_id = ${channelId} and state = 'waiting' order by id limit 1`,
      );
      const [last] = await run(
        read,
        sql<{
          at: number | null;
        }>`select max(attempted_at) as at from deliveries where channel_id = ${channelId}`,
      );
      const gathered = await run(
        read,
        sql`select 1 as there from outbox where channel_id = ${channelId} limit 1`,
      );
      return {
        delivery: open === undefined ? null : { ...toDelivery(open), ...toContent(open) },
        gathered: gathered.length > 0,
        lastAt: last?.at ?? null,
        mutedUntil: (await readMute(read, channelId, now))?.until ?? null,
      };
    },
    claim: (channel, made, word) =>
      store.write((transaction) => claimGathered(transaction, channel, made, word)),
    begin: (id, { at, notBefore, channelName, target }) =>
      store.write(async (transaction) => {
        const begun = await run(
          transaction,
          sql`update deliveries set attempts = attempts + 1, attempted_at = ${at}, first_attempt_at = coalesce(first_attempt_at, ${at}),
             not_before = ${notBefore}, channel_name = ${channelName}, target = ${target}
           where id = ${id} and state = 'waiting' returning id`,
        );
        return begun.length > 0;
      }),
    end: (delivery, ended) => store.write((transaction) => writeEnd(transaction, delivery, ended)),
    prune: (before) => store.write((transaction) => pruneSome(transaction, before)),
    counts: (now, channelId) => readCounts(read, now, channelId),
  };
}

/** COLUMNS are those of a delivery without what it tells. */
export const COLUMNS = sql`id, message, channel_id, channel_name, kind, target, events, title, state, created_at, attempts, attempted_at, first_attempt_at, not_before, ended_at, answer, last_error`;

/** DeliveryRow is a row of them. */
export type DeliveryRow = Row<
  'deliveries',
  | 'id'
  | 'message'
  | 'channel_id'
  | 'channel_name'
  | 'kind'
  | 'target'
  | 'events'
  | 'title'
  | 'state'
  | 'created_at'
  | 'attempts'
  | 'attempted_at'
  | 'first_attempt_at'
  | 'not_before'
  | 'ended_at'
  | 'answer'
  | 'last_error'
>;

/** ContentRow is what it tells. */
export type ContentRow = Row<'deliveries', 'content' | 'refs'>;

/** toDelivery reads a row. */
export function toDelivery(row: DeliveryRow): Delivery {
  const state = DELIVERY_STATES.find((one) => one === row.state);
  if (state === undefined) throw new Error(`the state of a delivery "${row.state}" is not known`);
  return {
    id: row.id,
    message: row.message,
    channelId: row.channel_id,
    channelName: row.channel_name,
    kind: row.kind,
    target: row.target,
    title: row.title,
    events: JSON.parse(row.events) as Delivery['events'],
    state,
    createdAt: row.created_at,
    attempts: row.attempts,
    attemptedAt: row.attempted_at,
    firstAttemptAt: row.first_attempt_at,
    notBefore: row.not_before,
    endedAt: row.ended_at,
    answer: row.answer,
    lastError: row.last_error,
  };
}

/** toContent reads what it tells. */
function toContent({ content, refs }: ContentRow): DeliveryContent {
  return { content: JSON.parse(content) as Content, references: JSON.parse(refs) as string[] };
}

async function claimGathered(
  transaction: Executor,
  channel: TellerChannel,
  { message, at, target }: Parameters<DeliveryStore['claim']>[1],
  word: (content: Content) => string,
): Promise<(Delivery & DeliveryContent) | null> {
  const entries = await takeGathered(transaction, channel.id);
  if (entries.length === 0) return null;
  const sections = toSections(entries);
  const content: Content = { sections, places: await placesOf(transaction, digestsIn(sections)) };
  const references = await threadsOf(transaction, channel.id, entries, message, at);
  const events = sections.map(({ event, count }) => ({ event, count }));
  const [row] = await run(
    transaction,
    sql<DeliveryRow>`insert into deliveries (message, channel_id, channel_name, kind, target, events, refs, content, title, state, created_at, not_before)
     values (${message}, ${channel.id}, ${channel.name}, ${channel.kind}, ${target}, ${JSON.stringify(events)}, ${JSON.stringify(references)},
       ${JSON.stringify(content)}, ${word(content)}, 'waiting', ${at}, ${at}) returning ${COLUMNS}`,
  );
  if (row === undefined) throw new Error('a delivery was not recorded');
  return { ...toDelivery(row), content, references };
}

/** Takes what is gathered out of the outbox, oldest first. */
async function takeGathered(transaction: Executor, channelId: string): Promise<readonly Entry[]> {
  await run(
    transaction,
    sql`select id from outbox where channel_id = ${channelId} order by event, subject ${heldAlone(transaction)}`,
  );
  const rows = await run(
    transaction,
    sql<
      Row<'outbox', 'id' | 'event' | 'subject' | 'count' | 'items' | 'first_at' | 'last_at'>
    >`delete from outbox where channel_id = ${channelId} returning id, event, subject, count, items, first_at, last_at`,
  );
  return rows
    .toSorted((a, b) => a.id - b.id)
    .flatMap(({ event: name, subject, count, items, first_at, last_at }) => {
      const event = CHANNEL_EVENTS.find((one): one is ChannelEvent => one === name);
      if (event === undefined) return []; // a later release wrote it, and was taken back
      const lines = items.split('\n').map((item) => JSON.parse(item) as Payload);
      return [{ event, subject, count, firstAt: first_at, lastAt: last_at, items: lines }];
    });
}

async function placesOf(
  transaction: Executor,
  digests: readonly string[],
): Promise<Readonly<Record<string, KnownPlace>>> {
  const images = new Map<string, KnownImage>();
  await readImages(transaction, digests, images);
  return Object.fromEntries(
    [...images].map(([digest, { names, workloads, workloadsTotal }]) => [
      digest,
      {
        name: names[0] ?? null,
        workloads: workloads
          .slice(0, MOST_WORKLOADS)
          .map(({ cluster, namespace, name }) => ({ cluster, namespace, name })),
        total: workloadsTotal,
      },
    ]),
  );
}

const THREADS = { channel_id: 'text', subject: 'text', message: 'text', at: 'integer' } as const;

/** Gives the first messages about what a message is about, and notes it as the first where there is none. */
async function threadsOf(
  transaction: Executor,
  channelId: string,
  entries: readonly Entry[],
  message: string,
  at: number,
): Promise<readonly string[]> {
  const subjects = [...new Set(entries.map(({ subject }) => subject))].filter((subject) => subject !== '');
  const known: Row<'delivery_threads', 'subject' | 'message' | 'at'>[] = [];
  for (const marks of inLists(subjects))
    known.push(
      ...(await run(
        transaction,
        sql<
          Row<'delivery_threads', 'subject' | 'message' | 'at'>
        >`select subject, message, at from delivery_threads where channel_id = ${channelId} and subject in (${marks})`,
      )),
    );
  const begun = new Set(known.map(({ subject }) => subject));
  const first = subjects.filter((subject) => !begun.has(subject));
  await insertMany(
    transaction,
    'delivery_threads',
    THREADS,
    first.map((subject) => [channelId, subject, message, at]),
  );
  const ids = known.toSorted((a, b) => a.at - b.at).map((row) => row.message);
  return [...new Set(ids)].slice(-MOST_REFERENCES);
}

function columnsOf(ended: Ended): RawBuilder<unknown> {
  if (ended.state === 'sent')
    return sql`state = 'sent', ended_at = ${ended.at}, answer = ${kept(ended.answer)}, last_error = null`;
  if (ended.state === 'failed')
    return sql`state = 'failed', ended_at = ${ended.at}, last_error = ${kept(ended.error)}`;
  return sql`not_before = ${ended.notBefore}, last_error = ${kept(ended.error)}`;
}

async function writeEnd(transaction: Executor, delivery: Delivery, ended: Ended): Promise<void> {
  const { id, channelId, channelName, kind, events } = delivery;
  const { state, at } = ended;
  await run(
    transaction,
    sql`update deliveries set ${columnsOf(ended)} where id = ${id} and state = 'waiting'`,
  );
  // Two channels that both fail must not tell each other of it for ever.
  if (state !== 'failed' || events.every(({ event }) => event === 'channel_failed')) return;
  const payload = {
    channel: channelName,
    channel_id: channelId,
    kind,
    error: ended.error,
    events: events.map(({ event }) => event),
  };
  await writeEvents(transaction, [{ event: 'channel_failed', subject: channelId, payload }], {
    at,
    except: channelId,
  });
}

function kept(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed().replaceAll('\0', '');
}
