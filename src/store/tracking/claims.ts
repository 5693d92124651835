import { sql } from 'kysely';
import {
  QUIET_MS,
  type CapWindow,
  type Fence,
  type NewClaim,
  type PendingClaim,
} from '../../trackers/index.ts';
import type { Store } from '../sql/store.ts';
import { claimAlert } from './alerts.ts';
import { claimRows } from './claim-rows.ts';
import { notTriaged } from './critical.ts';
import { underFence } from '../leadership/fence.ts';
import { toTrackingRow, TRACKING_COLUMNS, type StoredRow } from './rows.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** What a steady time counts for may be asked twice as far back. */
const KEEP = 2 * 24 * 60 * 60_000;

/** makeClaim claims candidates for one issue: rows, the issue's place under the cap, and the channel's first run, in one transaction. */
export async function makeClaim(
  store: Store,
  claim: NewClaim,
  fence: Fence,
): Promise<PendingClaim | 'cap' | 'none'> {
  return underFence(store, fence, async (transaction) => {
    const { channelId, cap, at, tick } = claim;
    if (!(await lockChannel(transaction, channelId, claim.filed === true))) return 'none';
    if ((await countOpened(transaction, channelId, cap.since)) >= cap.cap) return 'cap';
    const marker = await (claim.alert === undefined
      ? claimRows(transaction, claim)
      : claimAlert(transaction, claim, claim.alert));
    if (marker === null) return 'none';
    await countIssue(transaction, marker, channelId, tick);
    await run(transaction, sql`delete from tracking_issues where tick < ${cap.since - KEEP}`);
    // A summary is of the findings of a first run.
    if (claim.alert === undefined)
      await run(
        transaction,
        sql`update channels set first_run_at = ${at} where id = ${channelId} and first_run_at is null`,
      );
    const [made] = await readPending(transaction, at, marker);
    if (made === undefined) throw new Error('a claim was not made');
    return made;
  });
}

/** Keeps others from claiming for the channel until the transaction ends; false when it is gone, or (unless `whatever`) disabled or paused. */
async function lockChannel(transaction: Executor, id: string, whatever = false): Promise<boolean> {
  const held = await run(
    transaction,
    sql`update channels set enabled = enabled where id = ${id}
      ${whatever ? sql`` : sql`and enabled = 1 and paused_since is null`} returning id`,
  );
  return held.length > 0;
}

/**
 * countOpened counts the issues of a channel after a steady time; one whose create may still be on its way counts whenever it began, but
 * for that of the marker `but`.
 */
export async function countOpened(
  read: Executor,
  channelId: string,
  since: number,
  but = '',
): Promise<number> {
  const [row] = await run(
    read,
    sql<{ count: number }>`select count(*) as count from (
       select marker from tracking_issues where channel_id = ${channelId} and tick > ${since}
       union select t.marker from tracking t where t.state = 'open' and t.issue_key is null and t.attempt_id is not null
         and coalesce(t.closed_via, t.channel_id) = ${channelId} and t.marker <> ${but}
     ) counted`,
  );
  return row?.count ?? 0;
}

/** Counts an issue under the cap, as opened at this steady time at the latest. */
async function countIssue(
  transaction: Executor,
  marker: string,
  channelId: string,
  tick: number,
): Promise<void> {
  await run(
    transaction,
    sql`insert into tracking_issues (marker, channel_id, tick) values (${marker}, ${channelId}, ${tick})
     on conflict (marker) do update set channel_id = excluded.channel_id,
       tick = case when excluded.tick > tracking_issues.tick then excluded.tick else tracking_issues.tick end`,
  );
}

type Attempt = 'attempt_tick' | 'misses' | 'missed_tick' | 'unsure_at' | 'unsure_target' | 'target';
type Away = 'away_target' | 'away_answer' | 'away_times';

interface PendingRow extends StoredRow, Row<'tracking', Attempt | Away> {
  readonly wanted: number | boolean;
}

/** readPending gives the claims without an issue, oldest first; all of them, or that of one marker. */
export async function readPending(
  read: Executor,
  at: number,
  marker: string | null = null,
): Promise<PendingClaim[]> {
  const rows = await run(
    read,
    sql<PendingRow>`select ${TRACKING_COLUMNS}, t.attempt_tick, t.misses, t.missed_tick, t.target, t.unsure_at, t.unsure_target,
       t.away_target, t.away_answer, t.away_times,
       case when t.kind = 'runtime' then coalesce(t.last_event_at, t.claimed_at) > ${at - QUIET_MS} else (exists (
         select 1 from scans s join findings f on f.scan_id = s.id
         where s.digest = t.digest and s.current = 1 and f.cve = t.cve and f.severity = 'CRITICAL'
       ) and ${notTriaged('t.digest', 't.cve', at)}) end as wanted
     from tracking t
     where t.state = 'open' and t.issue_key is null and t.marker is not null
       ${marker === null ? sql`` : sql`and t.marker = ${marker}`}
     order by t.id`,
  );
  const claims = Map.groupBy(rows, (row) => row.marker ?? '');
  return [...claims].map(([name, members]) => toClaim(name, members));
}

function toClaim(marker: string, members: readonly PendingRow[]): PendingClaim {
  const [first] = members;
  if (first === undefined) throw new Error('a claim without rows');
  const trying = members.find(({ attempt_id }) => attempt_id !== null);
  return {
    marker,
    channelId: first.closed_via ?? first.channel_id,
    summary: first.summary === 1,
    rows: members.map(toTrackingRow),
    wanted: members.some(({ wanted }) => Boolean(wanted)),
    attempts: Math.max(...members.map(({ attempts }) => attempts)),
    attemptTick: first.attempt_tick,
    attempt:
      trying === undefined
        ? null
        : {
            id: trying.attempt_id ?? '',
            at: trying.attempt_at ?? 0,
            tick: trying.attempt_tick ?? 0,
            target: trying.target ?? '',
            misses: trying.misses,
            missedTick: trying.missed_tick,
          },
    away:
      first.away_target === null
        ? null
        : { target: first.away_target, answer: first.away_answer ?? '', times: first.away_times },
    unsure: first.unsure_at === null ? null : { at: first.unsure_at, target: first.unsure_target ?? '' },
  };
}

/**
 * countAttempt notes the place of a create under the cap; false when there is none. One that was counted for this channel within the window
 * has its; what another channel claimed finds one first.
 */
export async function countAttempt(
  transaction: Executor,
  marker: string,
  tick: number,
  { channelId, cap, since }: CapWindow & { readonly channelId: string },
): Promise<boolean> {
  if (!(await lockChannel(transaction, channelId))) return false;
  const counted = await run(
    transaction,
    sql`select marker from tracking_issues where marker = ${marker} and channel_id = ${channelId} and tick > ${since}`,
  );
  if (counted.length === 0 && (await countOpened(transaction, channelId, since, marker)) >= cap) return false;
  await countIssue(transaction, marker, channelId, tick);
  return true;
}

/** openedBy notes that an issue was opened at this steady time at the latest. */
export async function openedBy(transaction: Executor, marker: string, tick: number): Promise<void> {
  await run(
    transaction,
    sql`update tracking_issues set tick = ${tick} where marker = ${marker} and tick < ${tick}`,
  );
}
