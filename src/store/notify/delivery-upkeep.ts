import { sql, type RawBuilder } from 'kysely';
import { DAY_MS } from '../../base/index.ts';
import { severityRank } from '../../findings/index.ts';
import type { DeliveryCounts } from '../../notify/index.ts';
import { dropThrottles } from '../outbox/index.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** Rows that one deletion takes. */
const PRUNED = 500;

const CRITICAL = severityRank('CRITICAL') as number;

/** readCounts tells how much waits, and how much was given up in the 24 hours before now, in UTC milliseconds. */
export async function readCounts(read: Executor, now: number, channelId?: string): Promise<DeliveryCounts> {
  // What a person holds back waits for that person, and needs no look at the service.
  const isWaiting =
    channelId === undefined
      ? sql`channel_id in (select id from channels where enabled = 1)
         and channel_id not in (select channel_id from channel_mutes where ended_at is null and until > ${now})`
      : sql`channel_id = ${channelId}`;
  const [open] = await run(
    read,
    sql<{
      waiting: number;
      oldest: number | null;
    }>`select count(*) as waiting, min(created_at) as oldest from deliveries where state = 'waiting' and ${isWaiting}`,
  );
  const [gathered] = await run(
    read,
    sql<{
      waiting: number;
      oldest: number | null;
    }>`select count(*) as waiting, min(first_at) as oldest from outbox where ${isWaiting}`,
  );
  const ofChannel = channelId === undefined ? sql`1 = 1` : sql`channel_id = ${channelId}`;
  const [given] = await run(
    read,
    sql<{
      failed: number;
    }>`select count(*) as failed from deliveries where state = 'failed' and ended_at >= ${now - DAY_MS} and ${ofChannel}`,
  );
  const times = [open?.oldest, gathered?.oldest].filter((at) => at !== null && at !== undefined);
  return {
    oldest: times.length === 0 ? null : Math.min(...times),
    waiting: (open?.waiting ?? 0) + (gathered?.waiting ?? 0),
    failed: given?.failed ?? 0,
  };
}

/** What waits for a channel that is disabled or gone. */
const NOBODY_WAITS = sql`channel_id not in (select id from channels where enabled = 1)`;

/**
 * Whether a thread is about an image with a critical finding that stands, or ended after a time: its end is told in the thread of the first
 * message, however long it takes.
 */
const stands = (before: number): RawBuilder<unknown> =>
  sql`exists (select 1 from history_images i join finding_history f on f.image = i.id
      where i.digest = delivery_threads.subject and f.rank = ${CRITICAL} and (f.ended_at is null or f.ended_at >= ${before}))`;

/** pruneSome deletes some messages that were made before a time and that no enabled channel waits for; gives whether there may be more. */
export async function pruneSome(transaction: Executor, before: number): Promise<boolean> {
  const old = await run(
    transaction,
    sql<
      Row<'deliveries', 'id'>
    >`select id from deliveries where created_at < ${before} and (state <> 'waiting' or ${NOBODY_WAITS}) order by created_at limit ${PRUNED}`,
  );
  for (const marks of inLists(old.map(({ id }) => id)))
    await run(transaction, sql`delete from deliveries where id in (${marks})`);
  await run(transaction, sql`delete from outbox where last_at < ${before} and ${NOBODY_WAITS}`);
  await run(transaction, sql`delete from delivery_threads where at < ${before} and not ${stands(before)}`);
  await dropThrottles(transaction, before);
  return old.length === PRUNED;
}
