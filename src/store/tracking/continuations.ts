import { sql } from 'kysely';
import type {
  Block,
  ContinuationStore,
  IssueRef,
  PendingContinuation,
  SummaryPlan,
} from '../../trackers/index.ts';
import type { Store } from '../sql/store.ts';
import { underFence } from '../leadership/fence.ts';
import { shownError } from './rows.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

interface NextRow {
  readonly id: string;
  readonly marker: string;
  readonly body: string;
  readonly attempts: number;
  readonly attempt_at: number | null;
  readonly attempt_tick: number | null;
  readonly trying: number;
}

interface IssueRow {
  readonly state: string;
  readonly channel_id: string;
  readonly issue_key: string | null;
  readonly issue_url: string | null;
  readonly issue_id: string | null;
}

/** continuationStore keeps the comments that continue issues in a database; one that was posted has no row any more. */
export function continuationStore(store: Store): ContinuationStore {
  const { read } = store;
  return {
    plan: (marker, form, plan, fence) =>
      underFence(store, fence, (transaction) => keepPlan(transaction, marker, form, plan)),
    pending: () => readPending(read),
    begin: (id, { at, tick }, fence) =>
      underFence(store, fence, async (transaction) => {
        const begun = await run(
          transaction,
          sql`update tracking_continuations set trying = 1, attempts = attempts + 1, attempt_at = ${at}, attempt_tick = ${tick}
           where id = ${id} and trying = 0 returning id`,
        );
        return begun.length > 0;
      }),
    async posted(id, fence) {
      await underFence(store, fence, async (transaction) => {
        const [posted] = await run(
          transaction,
          sql<
            Row<'tracking_continuations', 'marker' | 'last_error'>
          >`delete from tracking_continuations where id = ${id} returning marker, last_error`,
        );
        if (posted === undefined || posted.last_error === null) return;
        await run(
          transaction,
          sql`update tracking set last_error = null where marker = ${posted.marker} and state = 'open' and last_error = ${posted.last_error}`,
        );
      });
    },
    async clear(id, error, fence) {
      await underFence(store, fence, async (transaction) => {
        await run(transaction, sql`update tracking_continuations set trying = 0 where id = ${id}`);
        if (error !== null) await note(transaction, id, error);
      });
    },
    note: (id, error, fence) => underFence(store, fence, (transaction) => note(transaction, id, error)),
    drop: (marker, fence) => underFence(store, fence, (transaction) => drop(transaction, marker)),
  };
}

type Text = Pick<SummaryPlan, 'title' | 'body'>;

async function keepPlan(
  transaction: Executor,
  marker: string,
  form: string,
  { title, body, comments }: SummaryPlan,
): Promise<Text> {
  const [begun] = await run(
    transaction,
    sql<{
      tried: number;
    }>`select count(attempt_id) + count(unsure_at) + count(issue_key) as tried from tracking
     where kind = 'finding' and marker = ${marker} and state = 'open'`,
  );
  const [kept] = await run(
    transaction,
    sql<
      Row<'tracking_summaries', 'text'>
    >`select text from tracking_summaries where marker = ${marker} and form = ${form}`,
  );
  if (kept !== undefined && Number(begun?.tried) > 0) return JSON.parse(kept.text) as Text;
  // Those of claims that ended without an issue are of no use any more.
  await run(
    transaction,
    sql`delete from tracking_summaries where marker = ${marker} or not exists (
       select 1 from tracking t where t.marker = tracking_summaries.marker and t.state = 'open' and t.issue_key is null
     )`,
  );
  await drop(transaction, marker);
  await run(
    transaction,
    sql`insert into tracking_summaries (marker, form, text) values (${marker}, ${form}, ${JSON.stringify({ title, body })})`,
  );
  for (const [place, comment] of comments.entries())
    await run(
      transaction,
      sql`insert into tracking_continuations (id, marker, place, body) values (${comment.id}, ${marker}, ${place}, ${JSON.stringify(comment.body)})`,
    );
  return { title, body };
}

async function drop(transaction: Executor, marker: string): Promise<void> {
  await run(transaction, sql`delete from tracking_continuations where marker = ${marker}`);
}

/** The error stands on the rows of the issue too, where people look for it. */
async function note(transaction: Executor, id: string, error: string): Promise<void> {
  const shown = shownError(error);
  const [noted] = await run(
    transaction,
    sql<
      Row<'tracking_continuations', 'marker'>
    >`update tracking_continuations set last_error = ${shown} where id = ${id} returning marker`,
  );
  if (noted === undefined) return;
  await run(
    transaction,
    sql`update tracking set last_error = ${shown} where marker = ${noted.marker} and state = 'open'`,
  );
}

async function readPending(read: Executor): Promise<PendingContinuation[]> {
  const next = await run(
    read,
    sql<NextRow>`select c.id, c.marker, c.body, c.attempts, c.attempt_at, c.attempt_tick, c.trying from tracking_continuations c
     where not exists (select 1 from tracking_continuations e where e.marker = c.marker and e.place < c.place)
     order by c.marker`,
  );
  const pending: { readonly row: number; readonly one: PendingContinuation }[] = [];
  for (const { id, marker, body, attempts, attempt_at: at, attempt_tick: tick, trying } of next) {
    const [row] = await run(
      read,
      sql<
        IssueRow & { readonly row_id: number }
      >`select id as row_id, state, coalesce(closed_via, channel_id) as channel_id, issue_key, issue_url, issue_id from tracking
       where kind = 'finding' and marker = ${marker} order by case when state = 'open' then 0 else 1 end, id limit 1`,
    );
    const ended = row?.state !== 'open';
    const issue = row === undefined ? null : issueOf(row);
    // Of a claim that is still to be filed nothing can be continued yet.
    if (!ended && issue === null) continue;
    const one = {
      id,
      marker,
      attempts,
      ended,
      issue: issue ?? { key: '', url: '', id: '' },
      channelId: row?.channel_id ?? '',
      body: JSON.parse(body) as readonly Block[],
      last: at === null || tick === null ? null : { at, tick },
      unknown: trying === 1,
    };
    pending.push({ row: row?.row_id ?? 0, one });
  }
  return pending.toSorted((a, b) => a.row - b.row).map(({ one }) => one);
}

function issueOf({ issue_key: key, issue_url, issue_id }: IssueRow): IssueRef | null {
  return key === null ? null : { key, url: issue_url ?? '', id: issue_id ?? key };
}
