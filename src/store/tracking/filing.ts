import type { FilingStore, StoredClock } from '../../trackers/index.ts';
import { runText, type Cell } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';
import { countAttempt, countOpened, makeClaim, openedBy, readPending } from './claims.ts';
import { noteScans, readCritical, readUncounted } from './critical.ts';
import { underFence } from '../leadership/fence.ts';
import { shownError } from './rows.ts';

const CLOCK = 'trackers.clock';
const DAY = 24 * 60 * 60_000;
/** Rows of a claim whose issue is not known yet. */
const UNFILED = `kind = 'finding' and marker = ? and state = 'open' and issue_key is null`;

/** filingStore keeps claims and their issues in a database. */
export function filingStore(store: Store): FilingStore {
  const { read } = store;
  const change = (text: string, cells: readonly Cell[], fence: number): Promise<number> =>
    underFence(store, fence, async (transaction) => (await runText(transaction, text, cells)).length);
  return {
    async clock() {
      const [row] = await runText<{ value: string }>(read, 'select value from settings where key = ?', [
        CLOCK,
      ]);
      return row === undefined ? null : (JSON.parse(row.value) as StoredClock);
    },
    saveClock: (clock, fence) => saveClock(store, clock, fence),
    uncounted: () => readUncounted(read),
    critical: (after, at) => readCritical(read, after, at),
    noteScans: (scans, fence) => noteScans(store, scans, fence),
    opened: (channelId, since) => countOpened(read, channelId, since),
    claim: (claim, fence) => makeClaim(store, claim, fence),
    pending: (at) => readPending(read, at),
    beginAttempt: (marker, { id, at, tick, target }, after, cap, fence) =>
      underFence(store, fence, async (transaction) => {
        const rows = await runText<{ attempt_id: string | null }>(
          transaction,
          `select attempt_id from tracking where ${UNFILED}`,
          [marker],
        );
        if (rows.length === 0 || rows.some(({ attempt_id }) => attempt_id !== after)) return 'gone';
        if (!(await countAttempt(transaction, marker, tick, cap))) return 'cap';
        await runText(
          transaction,
          `update tracking set unsure_at = case when attempt_id is null then unsure_at else coalesce(unsure_at, attempt_at) end,
             unsure_target = case when attempt_id is null then unsure_target else coalesce(unsure_target, target) end,
             attempt_id = ?, attempt_at = ?, attempt_tick = ?, target = ?, misses = 0, missed_tick = null,
             attempts = attempts + 1, fence = ? where ${UNFILED}`,
          [id, at, tick, target, fence, marker],
        );
        return 'begun';
      }),
    recordIssue: (marker, attemptId, { key, url, id }, { at, tick }, fence) =>
      underFence(store, fence, async (transaction) => {
        const rows = await runText(
          transaction,
          `update tracking set issue_key = ?, issue_url = ?, issue_id = ?, opened_at = coalesce(opened_at, ?), attempt_id = null,
             misses = 0, missed_tick = null, last_error = null, fence = ?
           where ${UNFILED} and attempt_id is not distinct from ? returning id`,
          [key, url, id, at, fence, marker, attemptId],
        );
        await runText(transaction, 'delete from tracking_summaries where marker = ?', [marker]);
        await openedBy(transaction, marker, tick);
        return rows.length;
      }),
    clearAttempt: (marker, attemptId, error, fence, away = null) =>
      underFence(store, fence, async (transaction) => {
        const cleared = await runText(
          transaction,
          `update tracking set attempt_id = null, misses = 0, missed_tick = null, last_error = coalesce(?, last_error)
           where ${UNFILED} and attempt_id = ? returning id`,
          [error === null ? null : shownError(error), marker, attemptId],
        );
        if (away !== null && cleared.length > 0)
          await runText(
            transaction,
            `update tracking set away_times = case when away_target = ? then away_times + 1 else 1 end, away_target = ?,
               away_answer = ? where ${UNFILED}`,
            [away.target, away.target, away.answer, marker],
          );
        if (error !== null && cleared.length > 0)
          await runText(transaction, 'delete from tracking_issues where marker = ?', [marker]);
      }),
    async noteMiss(marker, attemptId, tick, error, fence) {
      await change(
        `update tracking set misses = misses + 1, missed_tick = ?, last_error = ? where ${UNFILED} and attempt_id = ?`,
        [tick, shownError(error), marker, attemptId],
        fence,
      );
    },
    async noteError(marker, error, fence) {
      await change(`update tracking set last_error = ? where ${UNFILED}`, [shownError(error), marker], fence);
    },
    async noteChannel(id, { notBefore, error }, at, fence) {
      const cells: Cell[] = [];
      const sets: string[] = [];
      if (notBefore !== undefined) {
        sets.push('not_before = ?');
        cells.push(notBefore);
      }
      sets.push('last_error = ?', 'last_error_at = ?');
      cells.push(error === null ? null : shownError(error), error === null ? null : at);
      await change(`update channels set ${sets.join(', ')} where id = ?`, [...cells, id], fence);
    },
    async warnCap(id, at, fence) {
      const warned = await change(
        // A time in the future was written by a clock that was wrong.
        `update channels set cap_warned_at = ? where id = ?
           and (cap_warned_at is null or cap_warned_at <= ? or cap_warned_at > ?) returning id`,
        [at, id, at - DAY, at],
        fence,
      );
      return warned > 0;
    },
  };
}

async function saveClock(store: Store, clock: StoredClock, fence: number): Promise<void> {
  await underFence(store, fence, async (transaction) => {
    const [row] = await runText<{ value: string }>(transaction, 'select value from settings where key = ?', [
      CLOCK,
    ]);
    const before = row === undefined ? null : (JSON.parse(row.value) as StoredClock);
    if (before !== null && before.steady > clock.steady) return;
    await runText(
      transaction,
      'insert into settings (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
      [CLOCK, JSON.stringify({ steady: clock.steady, wall: clock.wall })],
    );
  });
}
