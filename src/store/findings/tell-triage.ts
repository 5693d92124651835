import { sql } from 'kysely';
import { writeEvents } from '../outbox/index.ts';
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

/** tellTriageRanOut does so for every decision that ran out since it was called last; the first call only notes when it was. */
export function tellTriageRanOut(store: Store, at: number): Promise<void> {
  return store.write(async (transaction) => {
    const [mark] = await run(
      transaction,
      sql<Row<'settings', 'value'>>`select value from settings where key = ${MARK}`,
    );
    const until = Number(mark?.value ?? Number.NaN);
    const known = Number.isFinite(until) && until <= at + SKEW;
    if (known && until >= at) return;
    await run(
      transaction,
      sql`insert into settings (key, value) values (${MARK}, ${String(at)}) on conflict (key) do update set value = excluded.value`,
    );
    if (!known) return;
    const ended = await run(
      transaction,
      sql<
        Row<'triage', 'digest' | 'cve'>
      >`select distinct digest, cve from triage where "until" > ${until} and "until" <= ${at} and ended_at is null order by digest, cve`,
    );
    for (const { digest, cve } of ended) await tellTriageEnded(transaction, digest, cve, at);
  });
}
