import { sql } from 'kysely';
import { writeEvents } from '../outbox/index.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';
import { readOpenCritical, toFound } from './open-critical.ts';

/** Until when triage that ran out has been told, in UTC milliseconds. */
const MARK = 'triage_told_until';
/** A mark further ahead than this was written by a clock that was ahead. */
const SKEW = 5 * 60_000;

/** tellTriageEnded puts down for the channels that a critical finding is nobody's decision any more, in the transaction that ends its triage. */
export async function tellTriageEnded(
  transaction: Executor,
  digest: string,
  cve: string,
  at: number,
): Promise<void> {
  const open = await readOpenCritical(transaction, sql`i.digest = ${digest} and f.cve = ${cve}`, at);
  await writeEvents(
    transaction,
    open.map((finding) => toFound(digest, finding, 'triage_ended')),
    { at },
  );
}

/** Decisions of one transaction, which holds the lock for some milliseconds. */
const DECISIONS = 100;

/** Until where triage that ran out has been told: until a time, and of the decisions that ran out then up to an id. */
interface Mark {
  readonly until: number;
  readonly id: number;
}

/**
 * tellTriageRanOut does so for every decision that ran out since it was called last, some in each transaction; the first call only notes
 * when it was.
 */
export async function tellTriageRanOut(store: Store, at: number): Promise<void> {
  const mark = await readMark(store.read);
  const done = { until: at, id: Number.MAX_SAFE_INTEGER };
  if (mark === null || mark.until > at + SKEW)
    return store.write((transaction) => writeMark(transaction, done));
  if (mark.until > at) return;
  const ended = await run(
    store.read,
    sql<
      Row<'triage', 'id' | 'until'>
    >`select id, "until" from triage where ("until" > ${mark.until} or ("until" = ${mark.until} and id > ${mark.id}))
      and "until" <= ${at} and ended_at is null order by "until", id`,
  );
  for (let from = 0; from < ended.length; from += DECISIONS) {
    const some = ended.slice(from, from + DECISIONS);
    await store.write(async (transaction) => {
      await tellRanOut(
        transaction,
        some.map(({ id }) => id),
        at,
      );
      await writeMark(transaction, some.at(-1) ?? done);
    });
  }
  await store.write((transaction) => writeMark(transaction, done));
}

async function tellRanOut(transaction: Executor, ids: readonly number[], at: number): Promise<void> {
  for (const marks of inLists(ids)) {
    // Of several decisions on one finding that ran out, the last one is told.
    const last = sql`select 1 from triage e where e.id in (${marks}) and e.digest = i.digest and e.cve = f.cve
      and not exists (select 1 from triage l where l.digest = e.digest and l.cve = e.cve and l.ended_at is null
        and l."until" <= ${at} and (l."until" > e."until" or (l."until" = e."until" and l.id > e.id)))`;
    const open = await readOpenCritical(
      transaction,
      sql`i.digest in (select digest from triage where id in (${marks})) and exists (${last})`,
      at,
    );
    await writeEvents(
      transaction,
      open.map((finding) => toFound(finding.digest, finding, 'triage_ended')),
      { at },
    );
  }
}

async function readMark(read: Executor): Promise<Mark | null> {
  const [row] = await run(
    read,
    sql<Row<'settings', 'value'>>`select value from settings where key = ${MARK}`,
  );
  const [until = Number.NaN, id = Number.MAX_SAFE_INTEGER] = (row?.value ?? '').split(' ').map(Number);
  return row !== undefined && Number.isFinite(until) ? { until, id } : null;
}

async function writeMark(transaction: Executor, { until, id }: Mark): Promise<void> {
  const value = `${until} ${id}`;
  await run(
    transaction,
    sql`insert into settings (key, value) values (${MARK}, ${value}) on conflict (key) do update set value = excluded.value`,
  );
}
