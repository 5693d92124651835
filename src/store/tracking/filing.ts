import { sql, type RawBuilder } from 'kysely';
import type {
  Away,
  CapWindow,
  Fence,
  FilingStore,
  IssueRef,
  Moment,
  PendingAttempt,
  Recorded,
  StoredClock,
} from '../../trackers/index.ts';
import type { Store } from '../sql/store.ts';
import { noteFiled, readAlerts } from './alerts.ts';
import { countAttempt, countOpened, makeClaim, openedBy, readPending } from './claims.ts';
import { noteScans, readCritical, readUncounted } from './critical.ts';
import { underFence } from '../leadership/fence.ts';
import { shownError } from './rows.ts';
import { run, type Row } from '../sql/run.ts';

const CLOCK = 'trackers.clock';
const DAY = 24 * 60 * 60_000;
/** Rows of a claim whose issue is not known yet. */
const unfiled = (marker: string): RawBuilder<unknown> =>
  sql`marker = ${marker} and state = 'open' and issue_key is null`;

/** filingStore keeps claims and their issues in a database. */
export function filingStore(store: Store): FilingStore {
  const { read } = store;
  const change = (statement: RawBuilder<unknown>, fence: number): Promise<number> =>
    underFence(store, fence, async (transaction) => (await run(transaction, statement)).length);
  return {
    async clock() {
      const [row] = await run(
        read,
        sql<Row<'settings', 'value'>>`select value from settings where key = ${CLOCK}`,
      );
      return row === undefined ? null : (JSON.parse(row.value) as StoredClock);
    },
    saveClock: (clock, fence) => saveClock(store, clock, fence),
    uncounted: () => readUncounted(read),
    critical: (after, at) => readCritical(read, after, at),
    alerts: (at) => readAlerts(read, at),
    noteScans: (scans, fence) => noteScans(store, scans, fence),
    opened: (channelId, since) => countOpened(read, channelId, since),
    claim: (claim, fence) => makeClaim(store, claim, fence),
    pending: (at) => readPending(read, at),
    beginAttempt: (marker, attempt, after, cap, fence) =>
      beginAttempt(store, marker, attempt, after, cap, fence),
    recordIssue: (marker, attemptId, issue, opened, fence) =>
      recordIssue(store, marker, attemptId, issue, opened, fence),
    clearAttempt: (marker, attemptId, error, fence, away = null) =>
      clearAttempt(store, marker, attemptId, error, fence, away),
    async noteMiss(marker, attemptId, tick, error, fence) {
      await change(
        sql`update tracking set misses = misses + 1, missed_tick = ${tick}, last_error = ${shownError(error)}
          where ${unfiled(marker)} and attempt_id = ${attemptId}`,
        fence,
      );
    },
    async noteError(marker, error, fence) {
      await change(
        sql`update tracking set last_error = ${shownError(error)} where ${unfiled(marker)}`,
        fence,
      );
    },
    async knows(marker) {
      const rows = await run(
        store.read,
        sql`select 1 as known from tracking where marker = ${marker} limit 1`,
      );
      return rows.length > 0;
    },
    async resumed(id, fence) {
      await change(
        sql`update channels set paused_since = null, resume_asked_at = null, resume_error = null where id = ${id}`,
        fence,
      );
    },
    async resumeFailed(id, error, at, fence) {
      await change(
        sql`update channels set resume_error = ${shownError(error)}, last_error_at = ${at} where id = ${id}`,
        fence,
      );
    },
    async noteChannel(id, { notBefore, error }, at, fence) {
      await change(
        sql`update channels set ${notBefore === undefined ? sql`` : sql`not_before = ${notBefore},`}
          last_error = ${error === null ? null : shownError(error)}, last_error_at = ${error === null ? null : at} where id = ${id}`,
        fence,
      );
    },
    async warnCap(id, at, fence) {
      const warned = await change(
        // A time in the future was written by a clock that was wrong.
        sql`update channels set cap_warned_at = ${at} where id = ${id}
           and (cap_warned_at is null or cap_warned_at <= ${at - DAY} or cap_warned_at > ${at}) returning id`,
        fence,
      );
      return warned > 0;
    },
  };
}

function beginAttempt(
  store: Store,
  marker: string,
  { id, at, tick, target }: Omit<PendingAttempt, 'misses' | 'missedTick'>,
  after: string | null,
  cap: CapWindow & { readonly channelId: string },
  fence: Fence,
): Promise<'begun' | 'cap' | 'gone'> {
  return underFence(store, fence, async (transaction) => {
    const rows = await run(
      transaction,
      sql<Row<'tracking', 'attempt_id'>>`select attempt_id from tracking where ${unfiled(marker)}`,
    );
    if (rows.length === 0 || rows.some(({ attempt_id }) => attempt_id !== after)) return 'gone';
    if (!(await countAttempt(transaction, marker, tick, cap))) return 'cap';
    await run(
      transaction,
      sql`update tracking set unsure_at = case when attempt_id is null then unsure_at else coalesce(unsure_at, attempt_at) end,
         unsure_target = case when attempt_id is null then unsure_target else coalesce(unsure_target, target) end,
         attempt_id = ${id}, attempt_at = ${at}, attempt_tick = ${tick}, target = ${target}, misses = 0, missed_tick = null,
         attempts = attempts + 1, fence = ${fence} where ${unfiled(marker)}`,
    );
    return 'begun';
  });
}

function recordIssue(
  store: Store,
  marker: string,
  attemptId: string | null,
  { key, url, id }: IssueRef,
  { at, tick }: Moment,
  fence: Fence,
): Promise<Recorded> {
  return underFence(store, fence, async (transaction) => {
    const rows = await run(
      transaction,
      sql<
        Row<'tracking', 'kind' | 'digest' | 'rule'>
      >`update tracking set issue_key = ${key}, issue_url = ${url}, issue_id = ${id}, opened_at = coalesce(opened_at, ${at}), attempt_id = null,
         misses = 0, missed_tick = null, last_error = null, fence = ${fence}
       where ${unfiled(marker)} and attempt_id is not distinct from ${attemptId} returning kind, digest, rule`,
    );
    await run(transaction, sql`delete from tracking_summaries where marker = ${marker}`);
    await openedBy(transaction, marker, tick);
    return { rows: rows.length, notified: await noteFiled(transaction, rows) };
  });
}

function clearAttempt(
  store: Store,
  marker: string,
  attemptId: string,
  error: string | null,
  fence: Fence,
  away: Omit<Away, 'times'> | null,
): Promise<void> {
  return underFence(store, fence, async (transaction) => {
    const cleared = await run(
      transaction,
      sql`update tracking set attempt_id = null, misses = 0, missed_tick = null, last_error = coalesce(${error === null ? null : shownError(error)}, last_error)
       where ${unfiled(marker)} and attempt_id = ${attemptId} returning id`,
    );
    if (away !== null && cleared.length > 0)
      await run(
        transaction,
        sql`update tracking set away_times = case when away_target = ${away.target} then away_times + 1 else 1 end, away_target = ${away.target},
           away_answer = ${away.answer} where ${unfiled(marker)}`,
      );
    if (error !== null && cleared.length > 0)
      await run(transaction, sql`delete from tracking_issues where marker = ${marker}`);
  });
}

async function saveClock(store: Store, clock: StoredClock, fence: number): Promise<void> {
  await underFence(store, fence, async (transaction) => {
    const [row] = await run(
      transaction,
      sql<Row<'settings', 'value'>>`select value from settings where key = ${CLOCK}`,
    );
    const before = row === undefined ? null : (JSON.parse(row.value) as StoredClock);
    if (before !== null && before.steady > clock.steady) return;
    await run(
      transaction,
      sql`insert into settings (key, value) values (${CLOCK}, ${JSON.stringify({ steady: clock.steady, wall: clock.wall })}) on conflict (key) do update set value = excluded.value`,
    );
  });
}
