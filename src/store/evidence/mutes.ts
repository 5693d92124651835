import { sql } from 'kysely';
import { TRACKER_KINDS } from '../../channels/index.ts';
import type { EvidenceRequest, MuteFacts } from '../../evidence/index.ts';
import { run, type MaybeRow, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** Mutes that a package lists. */
const MAX_MUTES = 1000;

/** mutesOf reads the mutes that lasted at some time of a period, of channels that are told; the oldest first. A mute ends by itself, or earlier. */
export async function mutesOf(store: Store, { from, to }: EvidenceRequest): Promise<MuteFacts> {
  const within = sql`m.muted_at <= ${to} and coalesce(m.ended_at, m.until) >= ${from} and (c.kind is null or c.kind not in (${sql.join(TRACKER_KINDS)}))`;
  const [counted] = await run(
    store.read,
    sql<{
      total: number;
    }>`select count(*) as total from channel_mutes m left join channels c on c.id = m.channel_id where ${within}`,
  );
  const rows = await run(
    store.read,
    sql<
      Row<
        'channel_mutes',
        'id' | 'channel_id' | 'muted_at' | 'until' | 'reason' | 'muted_by' | 'ended_at' | 'unmuted_by'
      > &
        MaybeRow<'channels', 'name' | 'kind'>
    >`select m.id, m.channel_id, m.muted_at, m.until, m.reason, m.muted_by, m.ended_at, m.unmuted_by, c.name, c.kind
      from channel_mutes m left join channels c on c.id = m.channel_id where ${within} order by m.id limit ${MAX_MUTES}`,
  );
  return {
    total: counted?.total ?? 0,
    items: rows.map((row) => ({
      id: row.id,
      channel: row.channel_id,
      name: row.name,
      kind: row.kind,
      mutedAt: row.muted_at,
      until: row.until,
      endedAt: row.ended_at,
      reason: row.reason,
      mutedBy: row.muted_by,
      unmutedBy: row.unmuted_by,
    })),
  };
}
