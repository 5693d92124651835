import { sql, type RawBuilder } from 'kysely';
import type { Fence, PlannedEnd, SweepStore } from '../../trackers/index.ts';
import { inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { noteEvents } from './alerts.ts';
import {
  beginClosing,
  closeGone,
  dropClosing,
  finishClosing,
  noteCommented,
  readClosings,
} from './closings.ts';
import { underFence } from '../leadership/fence.ts';
import { issueCondition, readOpenAfter, readOpenOf } from './open.ts';
import { readReturned } from './returned.ts';
import { shownError } from './rows.ts';
import { run } from '../sql/run.ts';

/** sweepStore keeps what the closing sweep does in a database. */
export function sweepStore(store: Store): SweepStore {
  const { read } = store;
  const change = (statement: RawBuilder<unknown>, fence: Fence): Promise<unknown> =>
    underFence(store, fence, (transaction) => run(transaction, statement));
  return {
    noteEvents: (fence) => underFence(store, fence, noteEvents),
    openAfter: (id) => readOpenAfter(read, id),
    openOf: (name) => readOpenOf(read, name),
    closings: () => readClosings(read),
    async noteWithheld(withheld, fence) {
      await underFence(store, fence, async (transaction) => {
        for (const { id, sentence } of withheld)
          await run(
            transaction,
            sql`update tracking set withheld = ${sentence} where id = ${id} and state = 'open'`,
          );
      });
    },
    returnedAfter: (id, at) => readReturned(read, id, at),
    async markReturned(ids, at, fence) {
      await underFence(store, fence, async (transaction) => {
        for (const marks of inLists(ids))
          await run(
            transaction,
            sql`update tracking set returned_at = ${at} where state = 'closed' and returned_at is null and id in (${marks})`,
          );
      });
    },
    closeUnfiled: (ended, at, fence) => closeUnfiled(store, ended, at, fence),
    beginClosing: (closing, fence) => beginClosing(store, closing, fence),
    dropClosing: (id, error, fence) =>
      underFence(store, fence, (transaction) =>
        dropClosing(transaction, id, error === null ? null : shownError(error)),
      ),
    async noteClosing(id, error, fence) {
      await change(
        sql`update tracking set last_error = ${shownError(error)} where closing_id = ${id} and state = 'open'`,
        fence,
      );
    },
    commented: (id, at, fence) => noteCommented(store, id, at, fence),
    finishClosing: (id, outcome, fence) => finishClosing(store, id, outcome, fence),
    closeGone: (ended, at, error, fence) => closeGone(store, ended, at, shownError(error), fence),
    async moveIssue(name, { key, url, id }, fence) {
      await change(
        sql`update tracking as t set issue_key = ${key}, issue_url = ${url}, issue_id = ${id}
          where ${issueCondition(name)} and t.issue_key is not null`,
        fence,
      );
    },
    async noteRows(rows, error, fence) {
      await underFence(store, fence, async (transaction) => {
        for (const marks of inLists(rows.map(({ id }) => id)))
          await run(
            transaction,
            sql`update tracking set last_error = ${shownError(error)} where state = 'open' and id in (${marks})`,
          );
      });
    },
    async clearErrors(ids, fence) {
      await underFence(store, fence, async (transaction) => {
        for (const marks of inLists(ids))
          await run(
            transaction,
            sql`update tracking set last_error = null where state = 'open' and closing_id is null and id in (${marks})
               and not exists (
                 select 1 from tracking_continuations c where c.marker = tracking.marker and c.last_error = tracking.last_error
               )`,
          );
      });
    },
  };
}

async function closeUnfiled(
  store: Store,
  ended: readonly PlannedEnd[],
  at: number,
  fence: Fence,
): Promise<void> {
  await underFence(store, fence, async (transaction) => {
    for (const { row, reason } of ended)
      await run(
        transaction,
        sql`update tracking set state = 'closed', reason = ${reason}, closed_at = ${at}, withheld = null, fence = ${fence}
         where id = ${row.id} and state = 'open' and issue_key is null and attempt_id is null`,
      );
  });
}
