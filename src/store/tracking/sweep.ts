import type { Fence, PlannedEnd, SweepStore } from '../../trackers/index.ts';
import { runText, type Cell } from '../sql/dialect.ts';
import { inChunks } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
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

/** sweepStore keeps what the closing sweep does in a database. */
export function sweepStore(store: Store): SweepStore {
  const { read } = store;
  const change = (text: string, cells: readonly Cell[], fence: Fence): Promise<number> =>
    underFence(store, fence, async (transaction) => (await runText(transaction, text, cells)).length);
  return {
    openAfter: (id) => readOpenAfter(read, id),
    openOf: (name) => readOpenOf(read, name),
    closings: () => readClosings(read),
    async noteWithheld(withheld, fence) {
      await underFence(store, fence, async (transaction) => {
        for (const { id, sentence } of withheld)
          await runText(transaction, `update tracking set withheld = ? where id = ? and state = 'open'`, [
            sentence,
            id,
          ]);
      });
    },
    returnedAfter: (id, at) => readReturned(read, id, at),
    async markReturned(ids, at, fence) {
      await underFence(store, fence, async (transaction) => {
        for (const { marks, cells } of inChunks(ids))
          await runText(
            transaction,
            `update tracking set returned_at = ? where state = 'closed' and returned_at is null and id in (${marks})`,
            [at, ...cells],
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
        `update tracking set last_error = ? where closing_id = ? and state = 'open'`,
        [shownError(error), id],
        fence,
      );
    },
    commented: (id, at, fence) => noteCommented(store, id, at, fence),
    finishClosing: (id, outcome, fence) => finishClosing(store, id, outcome, fence),
    closeGone: (ended, at, error, fence) => closeGone(store, ended, at, shownError(error), fence),
    async moveIssue(name, { key, url, id }, fence) {
      const { text, cells } = issueCondition(name);
      await change(
        `update tracking as t set issue_key = ?, issue_url = ?, issue_id = ? where ${text} and t.issue_key is not null`,
        [key, url, id, ...cells],
        fence,
      );
    },
    async noteRows(rows, error, fence) {
      await underFence(store, fence, async (transaction) => {
        for (const { marks, cells } of inChunks(rows.map(({ id }) => id)))
          await runText(
            transaction,
            `update tracking set last_error = ? where state = 'open' and id in (${marks})`,
            [shownError(error), ...cells],
          );
      });
    },
    async clearErrors(ids, fence) {
      await underFence(store, fence, async (transaction) => {
        for (const { marks, cells } of inChunks(ids))
          await runText(
            transaction,
            `update tracking set last_error = null where state = 'open' and closing_id is null and id in (${marks})
               and not exists (
                 select 1 from tracking_continuations c where c.marker = tracking.marker and c.last_error = tracking.last_error
               )`,
            cells,
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
      await runText(
        transaction,
        `update tracking set state = 'closed', reason = ?, closed_at = ?, withheld = null, fence = ?
         where id = ? and state = 'open' and issue_key is null and attempt_id is null`,
        [reason, at, fence, row.id],
      );
  });
}
