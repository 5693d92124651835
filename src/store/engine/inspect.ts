import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { connect } from './connect.ts';
import { parseLocation } from './location.ts';
import { run } from '../sql/run.ts';

/** DatabaseCondition is how a database stands that nobody may have opened. */
export interface DatabaseCondition {
  readonly engine: 'sqlite' | 'postgres';
  /** Name of the database, without its password. */
  readonly name: string;
  /** Why it takes no writes; null where it does. */
  readonly readOnly: string | null;
  /** What SQLite's own check of its pages found; null for nothing, and for a server. */
  readonly damage: string | null;
  /** Size of the file; null for a server. */
  readonly bytes: number | null;
}

/** inspectDatabase looks at a database that is there, without writing to it. Throws StoreError. */
export async function inspectDatabase(url: string): Promise<DatabaseCondition> {
  const location = parseLocation(url);
  const { engine, name } = location;
  const db = await connect<never>(location, { readOnly: true, mustExist: true, poolSize: 1 });
  try {
    if (location.engine === 'sqlite') {
      const [first] = await run(db, sql<{ quick_check: string }>`pragma quick_check(1)`);
      const found = first?.quick_check ?? 'ok';
      return {
        engine,
        name,
        readOnly: fileFault(location.file),
        bytes: statSync(location.file).size,
        damage: found === 'ok' ? null : found,
      };
    }
    const [state] = await run(
      db,
      sql<{ standby: boolean; standard: string }>`select pg_is_in_recovery() as standby,
        coalesce((select reset_val from pg_settings where name = 'default_transaction_read_only'), 'off') as standard`,
    );
    let readOnly = state?.standard === 'on' ? 'default_transaction_read_only is on' : null;
    if (state?.standby === true) readOnly = 'the server is a standby';
    return { engine, name, readOnly, damage: null, bytes: null };
  } finally {
    await db.destroy();
  }
}

function fileFault(file: string): string | null {
  for (const path of [file, dirname(file)])
    try {
      accessSync(path, constants.W_OK);
    } catch {
      return `${path} is not writable for this user`;
    }
  return null;
}
