import { sql, type RawBuilder } from 'kysely';
import type { TrackingFilter, TrackingHistory, TrackingPage, TrackingRow } from '../../trackers/index.ts';
import { containing } from '../sql/search.ts';
import { finishFindings } from '../scans/finding-changes.ts';
import { endConfirmed } from '../findings/finding-history.ts';
import type { Store } from '../sql/store.ts';
import { toTrackingRow, TRACKING_COLUMNS, type StoredRow } from './rows.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const ALL = 1_000_000_000;

/** trackingHistory reads the tracking history of a database, and takes what people decide about it. */
export function trackingHistory(store: Store): TrackingHistory {
  const { read } = store;
  return {
    list: (filter, page) => list(read, filter, page),
    get: (id) => get(read, id),
    reopen: (id, at, marker) =>
      store.write(async (transaction) => {
        const row = await get(transaction, id);
        if (row === null) return 'missing';
        const channel = await run(
          transaction,
          sql`select id from channels where id = ${row.closedVia ?? row.channelId}`,
        );
        if (channel.length === 0) return 'no_channel';
        // When it was raised first stays: the time until it is fixed is counted from there.
        const reopened = await run(
          transaction,
          sql`update tracking set state = 'open', reason = null, closed_at = null, returned_at = null, generation = ${row.generation + 1}, marker = ${marker(row.channelId, id, row.generation + 1)},
             summary = 0, issue_key = null, issue_url = null, issue_id = null, issue_left_open = 0, target = null, claimed_at = ${at},
             attempts = 0, attempt_id = null, attempt_at = null, attempt_tick = null, misses = 0, missed_tick = null,
             unsure_at = null, unsure_target = null, away_target = null, away_answer = null, away_times = 0, last_error = null, withheld = null, confirmed_at = null,
             confirmed_by = null, superseded_by = null, successor_has_cve = null,
             (found_scanner, found_db_at, found_scan_at) = (
               select scanner, db_updated_at, recorded_at from scans s where s.digest = tracking.digest and s.current = 1
             )
           where id = ${id} and state = 'closed' and returned_at is not null returning id`,
        );
        return reopened.length === 0 ? 'not_returned' : ((await get(transaction, id)) ?? 'missing');
      }),
    confirm: (id, by, at) =>
      store.write(async (transaction) => {
        const row = await get(transaction, id);
        if (row === null) return 'missing';
        await finishFindings(transaction, row.digest);
        const confirmed = await run(
          transaction,
          sql<
            Row<'tracking', 'digest' | 'cve'>
          >`update tracking set confirmed_at = ${at}, confirmed_by = ${by}
           where id = ${id} and kind = 'finding' and state = 'open' and exists (
             select 1 from scans s where s.digest = tracking.digest and s.current = 1
               and not exists (select 1 from findings f where f.scan_id = s.id and f.cve = tracking.cve)
           ) returning digest, cve`,
        );
        for (const { digest, cve } of confirmed)
          if (cve !== null) await endConfirmed(transaction, digest, cve, at);
        return confirmed.length === 0 ? 'not_withheld' : ((await get(transaction, id)) ?? 'missing');
      }),
  };
}

async function get(read: Executor, id: number): Promise<TrackingRow | null> {
  if (!Number.isSafeInteger(id)) return null;
  const [row] = await run(
    read,
    sql<StoredRow>`select ${TRACKING_COLUMNS} from tracking t where t.id = ${id}`,
  );
  return row === undefined ? null : toTrackingRow(row);
}

async function list(
  read: Executor,
  filter: TrackingFilter,
  { limit, offset }: TrackingPage,
): Promise<{ items: TrackingRow[]; total: number }> {
  const chosen = condition(filter);
  const [counted] = await run(
    read,
    sql<{ total: number }>`select count(*) as total from tracking t where ${chosen}`,
  );
  const rows = await run(
    read,
    sql<StoredRow>`select ${TRACKING_COLUMNS} from tracking t where ${chosen}
      order by t.claimed_at desc, t.id desc limit ${limit ?? ALL} offset ${offset}`,
  );
  return { items: rows.map(toTrackingRow), total: counted?.total ?? 0 };
}

function condition(filter: TrackingFilter): RawBuilder<unknown> {
  const parts = [sql`1 = 1`];
  const { kind, rule, state, reason, channelId, cve, digest, image, returned, failed, openedFrom, openedTo } =
    filter;
  if (kind !== undefined) parts.push(sql`t.kind = ${kind}`);
  if (rule !== undefined) parts.push(sql`t.rule = ${rule}`);
  if (state !== undefined) parts.push(sql`t.state = ${state}`);
  if (reason !== undefined) parts.push(sql`t.reason = ${reason}`);
  if (channelId !== undefined) parts.push(sql`coalesce(t.closed_via, t.channel_id) = ${channelId}`);
  if (cve !== undefined) parts.push(sql`t.cve = ${cve}`);
  if (digest !== undefined) parts.push(sql`t.digest = ${digest}`);
  if (image !== undefined) parts.push(sql`lower(t.image) like ${containing(image)} escape '\\'`);
  if (returned !== undefined) parts.push(sql`t.returned_at is ${returned ? sql`not null` : sql`null`}`);
  if (failed !== undefined) parts.push(sql`t.last_error is ${failed ? sql`not null` : sql`null`}`);
  if (openedFrom !== undefined) parts.push(sql`t.opened_at >= ${openedFrom}`);
  if (openedTo !== undefined) parts.push(sql`t.opened_at <= ${openedTo}`);
  return sql.join(parts, sql` and `);
}
