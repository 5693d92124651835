import { sql } from 'kysely';
import type { Mute, MuteStore } from '../../notify/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** muteStore keeps mutes in a database. */
export function muteStore(store: Store): MuteStore {
  return {
    current: (channelId, now) => readMute(store.read, channelId, now),
    mute: ({ channelId, mutedAt, until, reason, mutedBy }) =>
      store.write(async (transaction) => {
        await endCurrent(transaction, channelId, mutedAt, mutedBy);
        await run(
          transaction,
          sql`insert into channel_mutes (channel_id, muted_at, until, reason, muted_by) values (${channelId}, ${mutedAt}, ${until}, ${reason}, ${mutedBy})`,
        );
      }),
    unmute: (channelId, at, by) => store.write((transaction) => endCurrent(transaction, channelId, at, by)),
  };
}

/** readMute gives the mute of a channel that holds now; null for none. */
export async function readMute(read: Executor, channelId: string, now: number): Promise<Mute | null> {
  const [row] = await run(
    read,
    sql<
      Row<'channel_mutes', 'channel_id' | 'muted_at' | 'until' | 'reason' | 'muted_by'>
    >`select channel_id, muted_at, until, reason, muted_by from channel_mutes
     where channel_id = ${channelId} and ended_at is null and until > ${now} order by id desc limit 1`,
  );
  if (row === undefined) return null;
  return {
    channelId: row.channel_id,
    mutedAt: row.muted_at,
    until: row.until,
    reason: row.reason,
    mutedBy: row.muted_by,
  };
}

async function endCurrent(
  transaction: Executor,
  channelId: string,
  at: number,
  by: string | null,
): Promise<boolean> {
  const ended = await run(
    transaction,
    sql`update channel_mutes set ended_at = ${at}, unmuted_by = ${by} where channel_id = ${channelId} and ended_at is null and until > ${at} returning id`,
  );
  return ended.length > 0;
}
