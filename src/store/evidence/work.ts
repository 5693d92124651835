import { sql } from 'kysely';
import type { AtWork, Claimed, PackageWork } from '../../evidence/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';
import { cutError, dropLoose, toRequested } from './packages.ts';

/** packageWork is what those who make packages act through, over a database that all of them share. */
export function packageWork(store: Store): PackageWork {
  const held = <T>(
    claimed: Pick<Claimed, 'id' | 'attempt'>,
    act: (transaction: Executor) => Promise<T>,
  ): Promise<boolean> =>
    store.write(async (transaction) => {
      if (!(await holds(transaction, claimed))) return false;
      await act(transaction);
      return true;
    });
  return {
    open: async () =>
      (await run(
        store.read,
        sql<
          Row<'evidence_packages', 'id' | 'state' | 'attempt' | 'beat' | 'broken'>
        >`select id, state, attempt, beat, broken from evidence_packages where state in ('queued', 'running') order by created_at, id`,
      )) as readonly AtWork[],
    claim: ({ id, attempt }, at, broken) =>
      store.write(async (transaction) => {
        const [row] = await run(
          transaction,
          sql<
            Row<'evidence_packages', 'attempt' | 'period_from' | 'period_to' | 'request'>
          >`update evidence_packages set state = 'running', attempt = attempt + 1, beat = 0, broken = broken + ${broken ? 1 : 0},
              stage = null, rows_done = 0, rows_total = null, started_at = coalesce(started_at, ${at})
            where id = ${id} and attempt = ${attempt} and state in ('queued', 'running')
            returning attempt, period_from, period_to, request`,
        );
        return row === undefined ? null : { id, attempt: row.attempt, request: toRequested(row) };
      }),
    beat: (claimed, { stage, rows, total }) =>
      held(claimed, (transaction) =>
        run(
          transaction,
          sql`update evidence_packages set stage = ${stage}, rows_done = ${rows}, rows_total = ${total} where id = ${claimed.id}`,
        ),
      ),
    keep: (claimed, first, pieces) =>
      held(claimed, async (transaction) => {
        for (const [i, bytes] of pieces.entries())
          await run(
            transaction,
            sql`insert into evidence_pieces (package_id, attempt, number, bytes)
              values (${claimed.id}, ${claimed.attempt}, ${first + i}, ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)})`,
          );
      }),
    finish: (claimed, { bytes, sha256, summary }, at) =>
      held(claimed, (transaction) =>
        run(
          transaction,
          sql`update evidence_packages set state = 'done', bytes = ${bytes}, sha256 = ${sha256}, summary = ${JSON.stringify(summary)}, error = null, ended_at = ${at}
            where id = ${claimed.id}`,
        ),
      ),
    fail: (claimed, error, at) =>
      held(claimed, (transaction) =>
        run(
          transaction,
          sql`update evidence_packages set state = 'failed', error = ${cutError(error)}, ended_at = ${at} where id = ${claimed.id}`,
        ),
      ),
    tidy: () => dropLoose(store),
    release: (claimed, broken = false) =>
      held(claimed, (transaction) =>
        run(
          transaction,
          sql`update evidence_packages set state = 'queued', broken = broken + ${broken ? 1 : 0} where id = ${claimed.id}`,
        ),
      ),
  };
}

/** Holds the line of a package until the transaction ends, as long as this try is its newest. */
async function holds(
  transaction: Executor,
  { id, attempt }: Pick<Claimed, 'id' | 'attempt'>,
): Promise<boolean> {
  const held = await run(
    transaction,
    sql`update evidence_packages set beat = beat + 1 where id = ${id} and attempt = ${attempt} and state = 'running' returning id`,
  );
  return held.length > 0;
}
