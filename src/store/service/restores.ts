import { sql } from 'kysely';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** restoreEpoch gives the epoch of the last restore; null for a database that was never restored. */
export async function restoreEpoch({ read }: Pick<Store, 'read'>): Promise<string | null> {
  const [found] = await run(
    read,
    sql<Row<'restores', 'epoch'>>`select epoch from restores order by id desc limit 1`,
  );
  return found?.epoch ?? null;
}

/** successorOrigin gives the name that the log has since a restore ended it; null where none did. */
export async function successorOrigin({ read }: Pick<Store, 'read'>): Promise<string | null> {
  const [found] = await run(
    read,
    sql<Row<'settings', 'value'>>`select value from settings where key = 'ledger_origin'`,
  );
  return found?.value ?? null;
}
