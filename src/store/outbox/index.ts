/**
 * What the channels are to be told, written in the transaction of what happened.
 * It uses `sql`.
 */
import { sql } from 'kysely';
import { latestWait, oneLine } from '../../base/index.ts';
import {
  CHANNEL_EVENTS,
  CHANNEL_KINDS,
  isTrackerKind,
  receives,
  type ChannelEvent,
} from '../../channels/index.ts';
import { MAX_SHOWN, type Happened } from '../../notify/index.ts';
import { insertMany, type Cell } from '../sql/dialect.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** Subjects of one event that wait apart for a channel; what comes beyond them is counted together. */
const MOST_SUBJECTS = 200;
const MAX_SUBJECT = 300;
const MAX_VALUE = 500;
/** Characters of the occurrences of one subject, from which on those to come are only counted. */
const MANY_CHARACTERS = 2000;

/** Written says when, and for how long what was told is not told again. Milliseconds. */
export interface Written {
  readonly at: number;
  /** An occurrence whose throttle key was written within this before is left out. */
  readonly period?: number;
  /** A channel that is not told. */
  readonly except?: string;
}

/**
 * writeEvents puts what happened down for every channel that is subscribed now, in the transaction of the act that it reports, so that
 * neither is there without the other. What waits for a channel grows by subject and not by occurrence. Gives what some channel is told;
 * what none is subscribed to starts no throttle.
 */
export async function writeEvents(
  transaction: Executor,
  happened: readonly Happened[],
  { at, period = 0, except }: Written,
): Promise<readonly Happened[]> {
  if (happened.length === 0) return [];
  const channels = (await subscribers(transaction)).filter(({ id }) => id !== except);
  const wanted = happened.filter(({ event }) => channels.some(({ takes }) => takes(event)));
  const news = await notThrottled(transaction, wanted, at, period);
  const groups = groupsOf(news);
  const rows: Cell[][] = [];
  for (const { id, takes } of channels) {
    const taken = groups.filter(({ event }) => takes(event));
    for (const { event, subject, all } of taken.length === 0 ? [] : await gather(transaction, id, taken)) {
      const items = firstItems(all);
      rows.push([id, event, subject, all.length, items.length, items.join('\n'), at, at]);
    }
  }
  await insertMany(transaction, 'outbox', WAITING, rows, ADD);
  return news;
}

async function notThrottled(
  transaction: Executor,
  happened: readonly Happened[],
  at: number,
  period: number,
): Promise<readonly Happened[]> {
  const news: Happened[] = [];
  for (const one of happened) {
    const { throttleKey = null } = one;
    if (throttleKey === null) {
      news.push(one);
      continue;
    }
    // A time ahead was written by a clock that was ahead, and throttles nothing.
    const written = await run(
      transaction,
      sql`insert into event_throttle (throttle_key, at) values (${throttleKey}, ${at})
       on conflict (throttle_key) do update set at = excluded.at
       where event_throttle.at <= ${at - period} or event_throttle.at > ${latestWait(at, 0)} returning at`,
    );
    if (written.length > 0) news.push(one);
  }
  return news;
}

interface Subscriber {
  readonly id: string;
  takes(event: ChannelEvent): boolean;
}

async function subscribers(transaction: Executor): Promise<readonly Subscriber[]> {
  const rows = await run(
    transaction,
    sql<
      Row<'channels', 'id' | 'kind' | 'subscriptions'>
    >`select id, kind, subscriptions from channels where enabled = 1 order by place`,
  );
  return rows.flatMap(({ id, kind: name, subscriptions }) => {
    const kind = CHANNEL_KINDS.find((one) => one === name);
    // Trackers are told by what files issues, which looks for itself.
    if (kind === undefined || isTrackerKind(kind)) return [];
    const named = new Set(JSON.parse(subscriptions) as string[]);
    const channel = {
      kind,
      enabled: true,
      subscriptions: CHANNEL_EVENTS.filter((event) => named.has(event)),
    };
    return [{ id, takes: (event: ChannelEvent) => receives(channel, event) }];
  });
}

const WAITING = {
  channel_id: 'text',
  event: 'text',
  subject: 'text',
  count: 'integer',
  shown: 'integer',
  items: 'text',
  first_at: 'integer',
  last_at: 'integer',
} as const;
const TAKES_MORE = `outbox.shown < ${MAX_SHOWN} and length(outbox.items) < ${MANY_CHARACTERS}`;
const ADD = `on conflict (channel_id, event, subject) do update set
  count = outbox.count + excluded.count, last_at = excluded.last_at,
  items = case when ${TAKES_MORE} then outbox.items || '\n' || excluded.items else outbox.items end,
  shown = case when ${TAKES_MORE} then outbox.shown + excluded.shown else outbox.shown end`;

/** The first occurrences of a subject in JSON, at least one. */
function firstItems(all: readonly Happened[]): readonly string[] {
  const items: string[] = [];
  let characters = 0;
  for (const { payload } of all.slice(0, MAX_SHOWN)) {
    if (characters >= MANY_CHARACTERS) break;
    const item = JSON.stringify(payload, bounded);
    items.push(item);
    characters += item.length;
  }
  return items;
}

/** Group is what happened to one subject. */
interface Group {
  readonly key: string;
  readonly event: ChannelEvent;
  readonly subject: string;
  readonly all: readonly Happened[];
}

function groupsOf(happened: readonly Happened[]): readonly Group[] {
  const groups = Map.groupBy(happened, ({ event, subject }) => keyOf(event, toSubject(subject)));
  return [...groups].map(([key, all]) => {
    const [{ event, subject }] = all as [Happened];
    return { key, event, subject: toSubject(subject), all };
  });
}

/**
 * Gives the groups as they wait for a channel: apart, or together where many do already. Everybody takes the rows of a channel in this
 * order, that of their key, so that no two transactions wait for each other.
 */
async function gather(
  transaction: Executor,
  channel: string,
  groups: readonly Group[],
): Promise<readonly Group[]> {
  const waiting = await run(
    transaction,
    sql<
      Row<'outbox', 'event'> & { readonly subjects: number }
    >`select event, count(*) as subjects from outbox where channel_id = ${channel} and subject <> '' group by event`,
  );
  const open = new Map(waiting.map(({ event, subjects }) => [event, subjects]));
  const known = await knownAmong(transaction, channel, groups);
  const isApart = ({ key, event }: Group): boolean => {
    if (known.has(key)) return true;
    const waits = open.get(event) ?? 0;
    open.set(event, waits + 1);
    return waits < MOST_SUBJECTS;
  };
  const { apart = [], rest = [] } = Object.groupBy(groups, (group) => (isApart(group) ? 'apart' : 'rest'));
  const together = [...Map.groupBy(rest, ({ event }) => event)].map(([event, some]): Group => ({
    key: keyOf(event, ''),
    event,
    subject: '',
    all: some.flatMap(({ all }) => all),
  }));
  return [...apart, ...together].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Gives which of the subjects wait already: what happens to them goes on being told apart. */
async function knownAmong(
  transaction: Executor,
  channel: string,
  groups: readonly Group[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const marks of inLists([...new Set(groups.map(({ subject }) => subject))])) {
    const rows = await run(
      transaction,
      sql<
        Row<'outbox', 'event' | 'subject'>
      >`select event, subject from outbox where channel_id = ${channel} and subject in (${marks})`,
    );
    for (const { event, subject } of rows) known.add(keyOf(event, subject));
  }
  return known;
}

function keyOf(event: string, subject: string): string {
  return JSON.stringify([event, subject]);
}

function toSubject(subject: string): string {
  return oneLine(subject, MAX_SUBJECT) || '–';
}

/** No value from outside makes the outbox grow, and none has half a pair, which many readers of JSON do not take. */
function bounded(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.length > MAX_VALUE ? oneLine(value, MAX_VALUE) : value.toWellFormed();
}

/** dropChannel takes away what waits for a channel that is deleted, in the transaction that deletes it. */
export async function dropChannel(transaction: Executor, id: string): Promise<void> {
  await run(transaction, sql`delete from outbox where channel_id = ${id}`);
  await run(transaction, sql`delete from deliveries where channel_id = ${id} and state = 'waiting'`);
  await run(transaction, sql`delete from delivery_threads where channel_id = ${id}`);
}

/** dropThrottles forgets throttles that no period reaches any more; `before` is UTC milliseconds. */
export async function dropThrottles(transaction: Executor, before: number): Promise<void> {
  const old = await run(
    transaction,
    sql<
      Row<'event_throttle', 'throttle_key'>
    >`select throttle_key from event_throttle where at < ${before} limit 1000`,
  );
  for (const marks of inLists(old.map(({ throttle_key }) => throttle_key)))
    await run(transaction, sql`delete from event_throttle where throttle_key in (${marks})`);
}
