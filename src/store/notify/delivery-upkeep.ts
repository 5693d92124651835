import { sql } from 'kysely';
import type { DeliveryCounts } from '../../notify/index.ts';
import { dropThrottles } from '../outbox/index.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** Rows that one deletion takes. */
const PRUNED = 500;

/** readCounts tells how much waits, and how much was given up since a time in UTC milliseconds. */
export async function readCounts(read: Executor, since: number, channelId?: string): Promise<DeliveryCounts> {
  const ofChannel = channelId === undefined ? sql`1 = 1` : sql`channel_id = ${channelId}`;
  const [open] = await run(
    read,
    sql<{
      waiting: number;
      oldest: number | null;
    }>`select count(*) as waiting, min(created_at) as oldest from deliveries where state = 'waiting' and ${ofChannel}`,
  );
  const [gathered] = await run(
    read,
    sql<{
      waiting: number;
      oldest: number | null;
    }>`select count(*) as waiting, min(first_at) as oldest from outbox where ${ofChannel}`,
  );
  const [given] = await run(
    read,
    sql<{
      failed: number;
    }>`select count(*) as failed from deliveries where created_at >= ${since} and state = 'failed' and ${ofChannel}`,
  );
  const times = [open?.oldest, gathered?.oldest].filter((at) => at !== null && at !== undefined);
  return {
    oldest: times.length === 0 ? null : Math.min(...times),
    waiting: (open?.waiting ?? 0) + (gathered?.waiting ?? 0),
    failed: given?.failed ?? 0,
  };
}

/** pruneSome deletes some messages that were settled and made before a time; gives whether there may be more. */
export async function pruneSome(transaction: Executor, before: number): Promise<boolean> {
  const old = await run(
    transaction,
    sql<
      Row<'deliveries', 'id'>
    >`select id from deliveries where created_at < ${before} and state <> 'waiting' order by created_at limit ${PRUNED}`,
  );
  for (const marks of inLists(old.map(({ id }) => id)))
    await run(transaction, sql`delete from deliveries where id in (${marks})`);
  await run(transaction, sql`delete from delivery_threads where at < ${before}`);
  await dropThrottles(transaction, before);
  return old.length === PRUNED;
}
