import type {
  CloseReason,
  Closing,
  Commented,
  EndedFinding,
  Fence,
  IssueName,
  NewClosing,
} from '../../trackers/index.ts';
import { runText } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';
import { underFence } from '../leadership/fence.ts';
import { issueCondition } from './open.ts';
import { toTrackingRow, TRACKING_COLUMNS, type StoredRow } from './rows.ts';

type Executor = Parameters<typeof runText>[0];

interface ClosingRow extends StoredRow {
  readonly closing_id: string;
  readonly closing_step: string;
  readonly closing_reason: string;
  readonly closing_at: number;
  readonly closing_tick: number;
}

/** readClosings gives the closings that were begun and not ended, oldest first; all of them, or one. */
export async function readClosings(read: Executor, id: string | null = null): Promise<Closing[]> {
  const rows = await runText<ClosingRow>(
    read,
    `select ${TRACKING_COLUMNS}, t.closing_id, t.closing_step, t.closing_reason, t.closing_at, t.closing_tick from tracking t
     where t.closing_id is not null and t.closing_id ${id === null ? '<>' : '='} ? and t.state = 'open' order by t.id`,
    [id ?? ''],
  );
  return [...Map.groupBy(rows, ({ closing_id }) => closing_id)]
    .map(([name, members]) => toClosing(name, members))
    .toSorted((a, b) => a.tick - b.tick);
}

function toClosing(id: string, members: readonly ClosingRow[]): Closing {
  const [first] = members;
  const row = first === undefined ? undefined : toTrackingRow(first);
  if (first === undefined || row === undefined || row.issue === null)
    throw new Error('a closing without an issue');
  return {
    id,
    step: first.closing_step === 'commented' ? 'commented' : 'comment',
    at: first.closing_at,
    tick: first.closing_tick,
    name: nameOf(row.marker, row.channelId, row.issue.key),
    issue: row.issue,
    channelId: row.closedVia ?? row.channelId,
    ended: members.map((member) => {
      const { supersededBy, successorHasCve, ...same } = toTrackingRow(member);
      return {
        row: { ...same, supersededBy, successorHasCve },
        reason: member.closing_reason as CloseReason,
        supersededBy,
        successorHasCve,
      };
    }),
  };
}

function nameOf(marker: string | null, channelId: string, key: string): IssueName {
  return marker === null ? { marker, channelId, key } : { marker };
}

/** beginClosing notes a comment before it is sent; false, and nothing is noted, when its rows are not as they were. */
export async function beginClosing(
  store: Store,
  { id, name, at, tick, ended }: NewClosing,
  fence: Fence,
): Promise<boolean> {
  return underFence(store, fence, async (transaction) => {
    const { text, cells } = issueCondition(name);
    const free = await runText<{ id: number; closing_id: string | null }>(
      transaction,
      `select t.id, t.closing_id from tracking t where ${text} and t.state = 'open' and t.issue_key is not null`,
      cells,
    );
    const open = new Set(free.map((row) => row.id));
    if (free.some(({ closing_id }) => closing_id !== null) || ended.some(({ row }) => !open.has(row.id)))
      return false;
    for (const { row, reason, supersededBy, successorHasCve } of ended)
      await runText(
        transaction,
        `update tracking set closing_id = ?, closing_step = 'comment', closing_reason = ?, closing_at = ?, closing_tick = ?,
           superseded_by = ?, successor_has_cve = ?, fence = ? where id = ?`,
        [id, reason, at, tick, supersededBy, flag(successorHasCve), fence, row.id],
      );
    return true;
  });
}

function flag(value: boolean | null): number | null {
  return value === null ? null : value ? 1 : 0;
}

const DROP = `closing_id = null, closing_step = null, closing_reason = null, closing_at = null, closing_tick = null`;

/** dropClosing forgets a closing. */
export async function dropClosing(transaction: Executor, id: string, error: string | null): Promise<void> {
  await runText(
    transaction,
    `update tracking set ${DROP}, superseded_by = null, successor_has_cve = null, last_error = coalesce(?, last_error)
     where closing_id = ? and state = 'open'`,
    [error, id],
  );
}

/** noteCommented notes that the comment is there; where findings are left that has ended the closing, and its rows are closed. */
export async function noteCommented(store: Store, id: string, at: number, fence: Fence): Promise<Commented> {
  return underFence(store, fence, async (transaction) => {
    const [closing] = await readClosings(transaction, id);
    if (closing === undefined) return { next: 'nothing' };
    const { text, cells } = issueCondition(closing.name);
    const left = await runText(
      transaction,
      `select t.id from tracking t where ${text} and t.state = 'open' and t.closing_id is distinct from ? limit 1`,
      [...cells, id],
    );
    if (left.length > 0) {
      await closeRows(transaction, id, at, false);
      return { next: 'rows_closed' };
    }
    await runText(
      transaction,
      `update tracking set closing_step = 'commented', last_error = null where closing_id = ? and state = 'open'`,
      [id],
    );
    const rows = await runText<{ reason: string }>(
      transaction,
      `select coalesce(t.reason, t.closing_reason) as reason from tracking t
       where ${text} and t.issue_key is not null and coalesce(t.reason, t.closing_reason) is not null`,
      cells,
    );
    return { next: 'close_issue', reasons: rows.map(({ reason }) => reason as CloseReason) };
  });
}

async function closeRows(
  transaction: Executor,
  closingId: string,
  at: number,
  leftOpen: boolean,
): Promise<number> {
  const rows = await runText(
    transaction,
    `update tracking set state = 'closed', reason = closing_reason, closed_at = ?, issue_left_open = ?, last_error = null,
       withheld = null, ${DROP} where closing_id = ? and state = 'open' returning id`,
    [at, leftOpen ? 1 : 0, closingId],
  );
  return rows.length;
}

/** finishClosing closes the rows of a closing; false when there are none. */
export function finishClosing(
  store: Store,
  id: string,
  { at, leftOpen }: { readonly at: number; readonly leftOpen: boolean },
  fence: Fence,
): Promise<boolean> {
  return underFence(
    store,
    fence,
    async (transaction) => (await closeRows(transaction, id, at, leftOpen)) > 0,
  );
}

/** closeGone closes rows whose issue is no more. */
export async function closeGone(
  store: Store,
  ended: readonly EndedFinding[],
  at: number,
  error: string,
  fence: Fence,
): Promise<void> {
  await underFence(store, fence, async (transaction) => {
    for (const { row, reason, supersededBy, successorHasCve } of ended)
      await runText(
        transaction,
        `update tracking set state = 'closed', reason = ?, closed_at = ?, last_error = ?, withheld = null, superseded_by = ?,
           successor_has_cve = ?, fence = ?, ${DROP} where id = ? and state = 'open'`,
        [reason, at, error, supersededBy, flag(successorHasCve), fence, row.id],
      );
  });
}
