import type { Candidate, CapWindow, Fence, NewClaim, PendingClaim } from '../trackers/index.ts';
import { runText } from './dialect.ts';
import type { Store } from './store.ts';
import { BLOCKS, notTriaged } from './tracking-critical.ts';
import { underFence } from './tracking-fence.ts';
import { clustersOf, toTrackingRow, TRACKING_COLUMNS, type StoredRow } from './tracking-rows.ts';

type Executor = Parameters<typeof runText>[0];

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
    if (!(await lockChannel(transaction, channelId))) return 'none';
    if ((await countOpened(transaction, channelId, cap.since)) >= cap.cap) return 'cap';
    const marker = await insertRows(transaction, claim);
    if (marker === null) return 'none';
    await countIssue(transaction, marker, channelId, tick);
    await runText(transaction, 'delete from tracking_issues where tick < ?', [cap.since - KEEP]);
    await runText(transaction, 'update channels set first_run_at = ? where id = ? and first_run_at is null', [
      at,
      channelId,
    ]);
    const [made] = await readPending(transaction, at, marker);
    if (made === undefined) throw new Error('a claim was not made');
    return made;
  });
}

/** Keeps others from claiming for the channel until the transaction ends; false when it is gone or disabled. */
async function lockChannel(transaction: Executor, id: string): Promise<boolean> {
  const held = await runText(
    transaction,
    'update channels set enabled = enabled where id = ? and enabled = 1 returning id',
    [id],
  );
  return held.length > 0;
}

/** countOpened counts the issues of a channel after a steady time; one whose create may still be on its way counts whenever it began. */
export async function countOpened(read: Executor, channelId: string, since: number): Promise<number> {
  const [row] = await runText<{ count: number }>(
    read,
    `select count(*) as count from (
       select marker from tracking_issues where channel_id = ? and tick > ?
       union select t.marker from tracking t where t.state = 'open' and t.issue_key is null and t.attempt_id is not null
         and coalesce(t.closed_via, t.channel_id) = ?
     ) counted`,
    [channelId, since, channelId],
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
  await runText(
    transaction,
    `insert into tracking_issues (marker, channel_id, tick) values (?, ?, ?)
     on conflict (marker) do update set tick = excluded.tick where excluded.tick > tracking_issues.tick`,
    [marker, channelId, tick],
  );
}

/** The marker of the claim, or null when none of its candidates is one any more. */
async function insertRows(transaction: Executor, claim: NewClaim): Promise<string | null> {
  const { candidates, at } = claim;
  const clusters = new Map<string, string>();
  let marker: string | null = null;
  for (const candidate of candidates) {
    const { digest } = candidate;
    const named = clusters.get(digest) ?? JSON.stringify(await clustersOf(transaction, digest));
    clusters.set(digest, named);
    const row =
      (await claimAgain(transaction, claim, candidate)) ??
      (await insertRow(transaction, claim, candidate, named));
    if (row === undefined) continue;
    marker ??= claim.marker(row.id, row.generation);
    await runText(
      transaction,
      `update tracking set marker = ?, clusters = ?, claimed_at = ?, summary = ? where id = ?`,
      [marker, named, at, claim.summary ? 1 : 0, row.id],
    );
  }
  return marker;
}

interface Claimed {
  readonly id: number;
  readonly generation: number;
}

const STILL = `exists (
    select 1 from scans s join findings f on f.scan_id = s.id
    where s.digest = tracking.digest and s.current = 1 and f.cve = tracking.cve and f.severity = 'CRITICAL'
  )`;

/** A row that ended before any issue was opened is claimed once more: it is the only one there can be of its finding. */
async function claimAgain(
  transaction: Executor,
  { channelId, channelKind, at }: NewClaim,
  { digest, cve }: Candidate,
): Promise<Claimed | undefined> {
  const [row] = await runText<Claimed>(
    transaction,
    `update tracking set state = 'open', reason = null, closed_at = null, generation = generation + 1, channel_id = ?,
       channel_kind = ?, closed_via = null, last_error = null, attempts = 0, attempt_at = null, attempt_tick = null,
       withheld = null, confirmed_at = null, confirmed_by = null, returned_at = null, superseded_by = null, successor_has_cve = null,
       (found_scanner, found_db_at) = (select scanner, db_updated_at from scans c where c.digest = tracking.digest and c.current = 1)
     where kind = 'finding' and digest = ? and cve = ? and state = 'closed' and reason <> 'triaged' and issue_key is null
       and ${STILL} and ${notTriaged('tracking.digest', 'tracking.cve')}
     returning id, generation`,
    [channelId, channelKind, digest, cve, at],
  );
  return row;
}

async function insertRow(
  transaction: Executor,
  { channelId, channelKind, at }: NewClaim,
  { digest, cve }: Candidate,
  clusters: string,
): Promise<Claimed | undefined> {
  const [row] = await runText<Claimed>(
    transaction,
    `insert into tracking (kind, digest, cve, generation, channel_id, channel_kind, image, clusters, severity, state, claimed_at,
       found_scanner, found_db_at)
     select 'finding', s.digest, cast(? as text),
       1 + coalesce((select max(o.generation) from tracking o where o.kind = 'finding' and o.digest = s.digest and o.cve = ?), 0),
       ?, ?, (select n.name from image_names n where n.digest = s.digest order by n.last_seen_at desc, n.name limit 1),
       ?, 'CRITICAL', 'open', cast(? as bigint), s.scanner, s.db_updated_at
     from scans s
     where s.digest = ? and s.current = 1
       and exists (select 1 from findings f where f.scan_id = s.id and f.cve = ? and f.severity = 'CRITICAL')
       and not exists (select 1 from tracking b where b.digest = s.digest and b.cve = ? and ${BLOCKS})
       and ${notTriaged('s.digest', '?')}
     on conflict do nothing returning id, generation`,
    [cve, cve, channelId, channelKind, clusters, at, digest, cve, cve, cve, at],
  );
  return row;
}

interface PendingRow extends StoredRow {
  readonly attempt_tick: number | null;
  readonly missed_tick: number | null;
  readonly target: string | null;
  readonly wanted: number | boolean;
}

/** readPending gives the claims without an issue, oldest first; all of them, or that of one marker. */
export async function readPending(
  read: Executor,
  at: number,
  marker: string | null = null,
): Promise<PendingClaim[]> {
  const rows = await runText<PendingRow>(
    read,
    `select ${TRACKING_COLUMNS}, t.attempt_tick, t.missed_tick, t.target,
       (exists (
         select 1 from scans s join findings f on f.scan_id = s.id
         where s.digest = t.digest and s.current = 1 and f.cve = t.cve and f.severity = 'CRITICAL'
       ) and ${notTriaged('t.digest', 't.cve')}) as wanted
     from tracking t
     where t.state = 'open' and t.issue_key is null and t.kind = 'finding' and t.marker is not null
       ${marker === null ? '' : 'and t.marker = ?'}
     order by t.id`,
    marker === null ? [at] : [at, marker],
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
            missedTick: trying.missed_tick,
          },
  };
}

/** countAttempt notes the place of a create under the cap; false when there is none. One that was counted within the window has its. */
export async function countAttempt(
  transaction: Executor,
  marker: string,
  tick: number,
  { channelId, cap, since }: CapWindow & { readonly channelId: string },
): Promise<boolean> {
  if (!(await lockChannel(transaction, channelId))) return false;
  const counted = await runText(
    transaction,
    'select marker from tracking_issues where marker = ? and tick > ?',
    [marker, since],
  );
  if (counted.length === 0 && (await countOpened(transaction, channelId, since)) >= cap) return false;
  await countIssue(transaction, marker, channelId, tick);
  return true;
}

/** openedBy notes that an issue was opened at this steady time at the latest. */
export async function openedBy(transaction: Executor, marker: string, tick: number): Promise<void> {
  await runText(transaction, 'update tracking_issues set tick = ? where marker = ? and tick < ?', [
    tick,
    marker,
    tick,
  ]);
}
