import { Kysely } from 'kysely';
import type { StoreLocation } from './location.ts';
import { migrate, type MigrationWatch } from './migrate.ts';
import { MIGRATIONS, type Migration } from '../migrations/index.ts';
import { postgresDialect, type PostgresOptions } from './postgres.ts';
import { readHistory } from '../migrations/history.ts';
import { requireNewest } from './schema-check.ts';
import { StoreError } from '../sql/store-error.ts';
import type { Turn } from './sqlite-turns.ts';
import { openSqlite } from './sqlite.ts';

/** ConnectOptions say how a database is opened; times in milliseconds. */
export interface ConnectOptions {
  readonly readOnly: boolean;
  /** A file may not be made when it is not there. */
  readonly mustExist: boolean;
  /** A file is not even brought out of its write-ahead log: to look at one that somebody may want back as it is. */
  readonly untouched?: boolean | undefined;
  /** How long a transaction of SQLite waits for another process (10 s). */
  readonly lockTimeout?: number | undefined;
  /** How a writer of a file stands to other processes that write to it. */
  readonly turn?: Turn | undefined;
  /** Sessions of PostgreSQL at most (10). */
  readonly poolSize?: number | undefined;
  /** How long a connection may take to come about (5 s). */
  readonly connectTimeout?: number | undefined;
  /** How long one statement of PostgreSQL may take (30 s); 0 is for ever. */
  readonly statementTimeout?: number | undefined;
}

/** connect opens a handle on a database: one connection to a file, a pool on a server. Throws StoreError. */
export async function connect<T>(location: StoreLocation, options: ConnectOptions): Promise<Kysely<T>> {
  const { readOnly, mustExist, untouched = false, lockTimeout = 10_000, turn } = options;
  if (location.engine === 'sqlite') {
    const how = { mustExist, readOnly, untouched, lockTimeout, turn };
    return new Kysely<T>({ dialect: await openSqlite(location.file, how) });
  }
  const server: PostgresOptions = {
    poolSize: options.poolSize ?? 10,
    connectTimeout: options.connectTimeout ?? 5000,
    statementTimeout: options.statementTimeout ?? 30_000,
    readOnly,
  };
  return new Kysely<T>({ dialect: postgresDialect(location.url, location.name, server) });
}

/** PrepareOptions say how a database is brought up to date; `wait` is in milliseconds. */
export interface PrepareOptions extends ConnectOptions {
  /** Whether another process found the tables to be right: where the history is the newest, they are not compared. */
  readonly checked?: boolean;
  readonly migrations?: readonly Migration[] | undefined;
  readonly now?: (() => number) | undefined;
  /** How long another process may be at migrating before this one gives up (10 min). */
  readonly wait?: number | undefined;
  readonly watch?: MigrationWatch;
}

/**
 * prepare brings a database to the newest schema, or requires that it has it where nothing may be changed. It does so over a
 * connection of its own, since a step may take longer than any statement of the service may. Throws StoreError.
 */
export async function prepare(
  location: StoreLocation,
  change: boolean,
  {
    migrations = MIGRATIONS,
    now = Date.now,
    wait = 600_000,
    watch,
    checked = false,
    ...options
  }: PrepareOptions,
): Promise<void> {
  const limits = { poolSize: 1, turn: undefined, ...(change && { statementTimeout: 0 }) };
  const db = await connect<never>(location, { ...options, ...limits });
  try {
    const database = location.name;
    if (checked && (await isNewest(db, database, migrations))) return;
    if (!change) await requireNewest(db, database, migrations);
    else await migrate(db, { database, migrations, now, wait, ...(watch === undefined ? {} : { watch }) });
  } finally {
    await db.destroy();
  }
}

/** isNewest tells whether the history of a database is the newest; one that does not answer now is believed to be. */
async function isNewest(
  db: Kysely<never>,
  database: string,
  migrations: readonly Migration[],
): Promise<boolean> {
  try {
    return (await readHistory(db, database, migrations)).length === migrations.length;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'unavailable') return true;
    throw error;
  }
}
