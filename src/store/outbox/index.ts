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
  const taken = new Set(CHANNEL_EVENTS.filter((event) => channels.some(({ takes }) => takes(event))));
  const wanted = happened.filter(({ event }) => taken.has(event));
  const news = await notThrottled(transaction, wanted, at, period);
  const groups = groupsOf(news);
  const waiting = await waitingOf(
    transaction,
    channels.map(({ id }) => id),
    groups,
  );
  const texts = new Map<Happened, string>();
  const rows: Cell[][] = [];
  for (const { id, takes } of channels) {
    const own = groups.filter(({ event }) => takes(event));
    for (const { event, subject, all } of gather(id, own, waiting)) {
      const items = firstItems(all, texts);
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

/** The first occurrences of a subject in JSON, at least one. `texts` are those that were written for another channel. */
function firstItems(all: readonly Happened[], texts: Map<Happened, string>): readonly string[] {
  const items: string[] = [];
  let characters = 0;
  for (const one of all.slice(0, MAX_SHOWN)) {
    if (characters >= MANY_CHARACTERS) break;
    const item = texts.get(one) ?? JSON.stringify(one.payload, bounded);
    texts.set(one, item);
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
  // A storm is about few subjects: each is made fit to be stored once.
  const fit = new Map<string, string>();
  const toFit = (given: string): string => {
    const subject = fit.get(given) ?? toSubject(given);
    fit.set(given, subject);
    return subject;
  };
  return [...Map.groupBy(happened, ({ event }) => event)].flatMap(([event, some]) =>
    [...Map.groupBy(some, ({ subject }) => toFit(subject))].map(([subject, all]): Group => ({
      key: keyOf(event, subject),
      event,
      subject,
      all,
    })),
  );
}

/** Waiting is what waits for the channels: how many subjects of an event for each, and which of some groups already do. */
interface Waiting {
  /** By channel and event. */
  readonly subjects: ReadonlyMap<string, number>;
  /** Channels with the keys of groups. */
  readonly known: ReadonlySet<string>;
}

/** All channels are asked about at once: while a storm is written, nobody else writes. */
async function waitingOf(
  transaction: Executor,
  channels: readonly string[],
  groups: readonly Group[],
): Promise<Waiting> {
  const [subjects, known] = [new Map<string, number>(), new Set<string>()];
  if (channels.length === 0 || groups.length === 0) return { subjects, known };
  const ids = sql.join(channels);
  const counts = await run(
    transaction,
    sql<
      Row<'outbox', 'channel_id' | 'event'> & { readonly subjects: number }
    >`select channel_id, event, count(*) as subjects from outbox
      where channel_id in (${ids}) and subject <> '' group by channel_id, event`,
  );
  for (const row of counts) subjects.set(`${row.channel_id} ${row.event}`, row.subjects);
  for (const [event, some] of Map.groupBy(groups, (group) => group.event))
    for (const marks of inLists(some.map(({ subject }) => subject))) {
      const rows = await run(
        transaction,
        sql<
          Row<'outbox', 'channel_id' | 'subject'>
        >`select channel_id, subject from outbox where channel_id in (${ids}) and event = ${event} and subject in (${marks})`,
      );
      for (const { channel_id, subject } of rows) known.add(`${channel_id} ${keyOf(event, subject)}`);
    }
  return { subjects, known };
}

/**
 * Gives the groups as they wait for a channel: apart, or together where many do already; what happens to a subject that waits goes on being
 * told apart. Everybody takes the rows of a channel in this order, that of their key, so that no two transactions wait for each other.
 */
function gather(channel: string, groups: readonly Group[], { subjects, known }: Waiting): readonly Group[] {
  const open = new Map<string, number>();
  const isApart = ({ key, event }: Group): boolean => {
    if (known.has(`${channel} ${key}`)) return true;
    const waits = open.get(event) ?? subjects.get(`${channel} ${event}`) ?? 0;
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
