import { sql } from 'kysely';
import { run, type Executor } from '../sql/run.ts';

/**
 * moveMark moves the mark of what follows the ledger, kept under its key in `settings`, from one row to a later one; `from` null makes
 * it. False when it stands elsewhere by now: another replica was quicker.
 */
export async function moveMark(
  transaction: Executor,
  key: string,
  from: number | null,
  upto: number,
): Promise<boolean> {
  const moved =
    from === null
      ? await run(
          transaction,
          sql`insert into settings (key, value) values (${key}, ${String(upto)}) on conflict (key) do nothing returning key`,
        )
      : await run(
          transaction,
          sql`update settings set value = ${String(upto)} where key = ${key} and value = ${String(from)} returning key`,
        );
  return moved.length > 0;
}
