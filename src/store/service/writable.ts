import { sql } from 'kysely';
import type { Store } from '../sql/store.ts';
import { run } from '../sql/run.ts';

/** writeFault gives why a database takes no writes, by one that changes nothing; null where it takes them. */
export async function writeFault(store: Pick<Store, 'write'>): Promise<string | null> {
  try {
    await store.write(async (transaction) => {
      await run(transaction, sql`update settings set value = value where key = 'installation_id'`);
    });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
