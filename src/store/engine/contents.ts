import { sql, type RawBuilder } from 'kysely';
import { existsSync, statSync } from 'node:fs';
import { connect } from './connect.ts';
import { tableNames } from '../sql/dialect.ts';
import { parseLocation } from './location.ts';
import { isMissingDatabase } from './postgres-faults.ts';
import type { AnyDatabase } from '../sql/schema.ts';
import { StoreError } from '../sql/store-error.ts';
import { run, type Row } from '../sql/run.ts';

/** DatabaseContents is what stands in a database that somebody would miss. */
export interface DatabaseContents {
  /** Name of the database, without its password. */
  readonly name: string;
  readonly rows: number;
  readonly accounts: number;
  /** Id of the installation; null before the first start. */
  readonly installation: string | null;
  /** Why it could not be read, though it is there; null where it could. */
  readonly fault: string | null;
}

/**
 * contentsOf tells what stands in a database of any release; null where there is no such file or database. Nothing is written, made or
 * migrated. A file that cannot be read as a database holds something all the same (`fault`). Throws StoreError for a server that does not
 * answer.
 */
export async function contentsOf(url: string): Promise<DatabaseContents | null> {
  const location = parseLocation(url);
  const { name } = location;
  if (location.engine === 'sqlite' && !hasBytes(location.file)) {
    if (!hasBytes(`${location.file}-wal`)) return null;
    return { ...NOTHING, name, fault: 'its write-ahead log is there without it' };
  }
  try {
    const db = await connect<never>(location, {
      readOnly: true,
      mustExist: true,
      untouched: true,
      poolSize: 1,
    });
    try {
      return { ...NOTHING, name, ...(await read(db)) };
    } finally {
      await db.destroy();
    }
  } catch (error) {
    if (isMissingDatabase(error)) return null;
    if (location.engine === 'sqlite' && error instanceof StoreError)
      return { ...NOTHING, name, fault: error.message };
    throw error;
  }
}

const NOTHING = { rows: 0, accounts: 0, installation: null, fault: null };

function hasBytes(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

async function read(db: AnyDatabase): Promise<Pick<DatabaseContents, 'rows' | 'accounts' | 'installation'>> {
  const tables = new Set(await tableNames(db));
  const numberOf = async (table: string, query: RawBuilder<{ count: number | null }>): Promise<number> => {
    if (!tables.has(table)) return 0;
    const [found] = await run(db, query);
    return found?.count ?? 0;
  };
  const [id] = tables.has('settings')
    ? await run(db, sql<Row<'settings', 'value'>>`select value from settings where key = 'installation_id'`)
    : [];
  return {
    // Before release 0.3.4 the rows stood in `ledger`.
    rows:
      (await numberOf('ledger_head', sql`select size as count from ledger_head where id = 1`)) +
      (await numberOf('ledger', sql`select count(*) as count from ledger`)),
    accounts: await numberOf('accounts', sql`select count(*) as count from accounts`),
    installation: id?.value ?? null,
  };
}
