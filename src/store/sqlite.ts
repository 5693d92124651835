import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import {
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
} from 'kysely';
import { SqliteConnection, SqliteStoreAdapter } from './sqlite-connection.ts';
import { isBusy, sqliteFault } from './sqlite-faults.ts';
import { StoreError } from './store-error.ts';

/**
 * How long a statement waits for another process, in milliseconds, during which it blocks this one. A reader is kept out for moments
 * alone, while the log is recovered or ended; a writer asks for the lock again, without blocking.
 */
const READ_BUSY_TIMEOUT = 250;
const WRITE_BUSY_TIMEOUT = 5;
/** Pages of the write-ahead log after which a commit brings it into the file. */
const LOG_PAGES = 4_000;
/** The write-ahead log is cut back to this size when it was longer. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #lockTimeout: number;
  readonly #file: string;
  readonly #inode: number | null;

  constructor(connection: SqliteConnection, file: string, lockTimeout: number) {
    this.#connection = connection;
    this.#lockTimeout = lockTimeout;
    this.#file = file;
    this.#inode = inodeOf(file);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  /** Takes the write lock at once, since a transaction that reads first and writes later could fail for good. */
  async beginTransaction(): Promise<void> {
    // SQLite would go on writing into a file that nobody can find again.
    if (inodeOf(this.#file) !== this.#inode)
      throw new StoreError('unavailable', `${this.#file} was removed or replaced while it was in use`, {
        hint: 'Put the file back, or start the service again on the new one; nothing was written since',
      });
    await patiently(this.#lockTimeout, () => this.#connection.query('begin immediate', []));
  }

  async commitTransaction(): Promise<void> {
    this.#connection.query('commit', []);
  }

  async rollbackTransaction(): Promise<void> {
    // A full disk or a broken file may have rolled back already.
    if (this.#connection.inTransaction) this.#connection.query('rollback', []);
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#connection.close();
  }
}

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}

/** patiently tries again, without blocking the process, while another process holds the lock; then throws what was said last. */
async function patiently(timeout: number, act: () => unknown): Promise<void> {
  const end = performance.now() + timeout;
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    try {
      act();
      return;
    } catch (error) {
      const busy = isBusy(error) || (error instanceof StoreError && isBusy(error.cause));
      if (!busy || performance.now() >= end) throw error;
    }
    await sleep(wait);
  }
}

/** SqliteOptions say how a file is opened. */
export interface SqliteOptions {
  /** May not be made when it is not there. */
  readonly mustExist: boolean;
  readonly readOnly: boolean;
  /** The file is opened for reading by the operating system, so that closing it changes nothing either. */
  readonly untouched?: boolean;
  /** Milliseconds that a transaction waits for another process. */
  readonly lockTimeout: number;
}

/**
 * openSqlite opens one connection to a file. The writing one makes the file where it is missing, in WAL mode with
 * `synchronous=FULL`, so that what was committed survives a power cut. Throws StoreError.
 */
export async function openSqlite(file: string, options: SqliteOptions): Promise<Dialect> {
  if (!existsSync(file)) {
    if (options.mustExist)
      throw new StoreError('unreadable', `${file} does not exist`, {
        hint: 'Check the path; `ipo migrate` makes a database',
      });
    makeFile(file);
  }
  let database: Database.Database;
  try {
    database = new Database(file, {
      timeout: options.readOnly ? READ_BUSY_TIMEOUT : WRITE_BUSY_TIMEOUT,
      fileMustExist: true,
      readonly: options.untouched === true,
    });
  } catch (error) {
    throw sqliteFault(error, file);
  }
  const connection = new SqliteConnection(database, file);
  try {
    await patiently(options.lockTimeout, () => {
      if (options.readOnly) database.pragma('query_only = on');
      else if (!isWal(database) && !isForeign(database)) database.pragma('journal_mode = wal');
      database.pragma('synchronous = full');
      // Every 4,000 pages instead of 1,000: what a checkpoint takes is a wait for the reviews behind it.
      database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
      database.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
      database.pragma('foreign_keys = on');
      // What is deleted may be a credential of an earlier release.
      if (!options.readOnly) database.pragma('secure_delete = on');
    });
  } catch (error) {
    database.close();
    throw sqliteFault(error, file);
  }
  return sqliteDialect(connection, new SqliteDriver(connection, file, options.lockTimeout));
}

/** openMemory opens a database in memory, which goes with its connection: to see what statements leave. */
export function openMemory(): Dialect {
  const connection = new SqliteConnection(new Database(':memory:'), 'memory');
  return sqliteDialect(connection, new SqliteDriver(connection, ':memory:', 0));
}

function isWal(database: Database.Database): boolean {
  return database.pragma('journal_mode', { simple: true }) === 'wal';
}

/** Another program's file is refused later on, and must be as it was then. */
function isForeign(database: Database.Database): boolean {
  if (database.prepare(`select 1 from sqlite_master where type = 'table'`).get() === undefined) return false;
  try {
    return (
      database.prepare(`select 1 from migrations where name like '0001-%' and release is not null`).get() ===
      undefined
    );
  } catch {
    return true; // it has no such table
  }
}

/** It holds hashes of passwords, so nobody else may read it; the files that SQLite puts beside it take the same rights. */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new StoreError('unwritable', `${file} cannot be made${code === '' ? '' : ` (${code})`}`, {
      hint: 'Its directory must exist and be writable for this user',
      cause: error,
    });
  }
}

function sqliteDialect(connection: SqliteConnection, driver: Driver): Dialect {
  return {
    createAdapter: () => new SqliteStoreAdapter(connection),
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}
