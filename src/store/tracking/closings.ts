import { sql } from 'kysely';
import type {
  Closing,
  Commented,
  EndedFinding,
  EndReason,
  Fence,
  IssueName,
  NewClosing,
} from '../../trackers/index.ts';
import type { Store } from '../sql/store.ts';
import { underFence } from '../leadership/fence.ts';
import { issueCondition } from './open.ts';
import { toTrackingRow, TRACKING_COLUMNS, type StoredRow } from './rows.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

interface ClosingRow extends StoredRow {
  readonly closing_id: string;
  readonly closing_step: string;
  readonly closing_reason: string;
  readonly closing_at: number;
  readonly closing_tick: number;
}

/** readClosings gives the closings that were begun and not ended, oldest first; all of them, or one. */
export async function readClosings(read: Executor, id: string | null = null): Promise<Closing[]> {
  const rows = await run(
    read,
    sql<ClosingRow>`select ${TRACKING_COLUMNS}, t.closing_id, t.closing_step, t.closing_reason, t.closing_at, t.closing_tick from tracking t
     where t.closing_id is not null and t.closing_id ${id === null ? sql`<>` : sql`=`} ${id ?? ''} and t.state = 'open' order by t.id`,
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
        reason: member.closing_reason as EndReason,
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
    const free = await run(
      transaction,
      sql<
        Row<'tracking', 'id' | 'closing_id'>
      >`select t.id, t.closing_id from tracking t where ${issueCondition(name)} and t.state = 'open' and t.issue_key is not null`,
    );
    const open = new Set(free.map((row) => row.id));
    if (free.some(({ closing_id }) => closing_id !== null) || ended.some(({ row }) => !open.has(row.id)))
      return false;
    for (const { row, reason, supersededBy, successorHasCve } of ended)
      await run(
        transaction,
        sql`update tracking set closing_id = ${id}, closing_step = 'comment', closing_reason = ${reason}, closing_at = ${at}, closing_tick = ${tick},
           superseded_by = ${supersededBy}, successor_has_cve = ${flag(successorHasCve)}, fence = ${fence} where id = ${row.id}`,
      );
    return true;
  });
}

function flag(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

const DROP = sql`closing_id = null, closing_step = null, closing_reason = null, closing_at = null, closing_tick = null`;

/** dropClosing forgets a closing. */
export async function dropClosing(transaction: Executor, id: string, error: string | null): Promise<void> {
  await run(
    transaction,
    sql`update tracking set ${DROP}, superseded_by = null, successor_has_cve = null, last_error = coalesce(${error}, last_error)
     where closing_id = ${id} and state = 'open'`,
  );
}

/** noteCommented notes that the comment is there; where findings are left that has ended the closing, and its rows are closed. */
export async function noteCommented(store: Store, id: string, at: number, fence: Fence): Promise<Commented> {
  return underFence(store, fence, async (transaction) => {
    const [closing] = await readClosings(transaction, id);
    if (closing === undefined) return { next: 'nothing' };
    const ofIssue = issueCondition(closing.name);
    const left = await run(
      transaction,
      sql`select t.id from tracking t where ${ofIssue} and t.state = 'open' and t.closing_id is distinct from ${id} limit 1`,
    );
    if (left.length > 0) {
      await closeRows(transaction, id, at, false);
      return { next: 'rows_closed' };
    }
    await run(
      transaction,
      sql`update tracking set closing_step = 'commented', last_error = null where closing_id = ${id} and state = 'open'`,
    );
    const rows = await run(
      transaction,
      sql<{ reason: string }>`select coalesce(t.reason, t.closing_reason) as reason from tracking t
       where ${ofIssue} and t.issue_key is not null and coalesce(t.reason, t.closing_reason) is not null`,
    );
    return { next: 'close_issue', reasons: rows.map(({ reason }) => reason as EndReason) };
  });
}

async function closeRows(
  transaction: Executor,
  closingId: string,
  at: number,
  leftOpen: boolean,
): Promise<number> {
  const rows = await run(
    transaction,
    sql`update tracking set state = 'closed', reason = closing_reason, closed_at = ${at}, issue_left_open = ${leftOpen ? 1 : 0}, last_error = null,
       withheld = null, ${DROP} where closing_id = ${closingId} and state = 'open' returning id`,
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
      await run(
        transaction,
        sql`update tracking set state = 'closed', reason = ${reason}, closed_at = ${at}, last_error = ${error}, withheld = null, superseded_by = ${supersededBy},
           successor_has_cve = ${flag(successorHasCve)}, fence = ${fence}, ${DROP} where id = ${row.id} and state = 'open'`,
      );
  });
}
