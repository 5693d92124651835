import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
} from 'kysely';
import { LateSync } from './late-sync.ts';
import { SqliteConnection, SqliteStoreAdapter, type SqliteNow } from '../sql/sqlite-connection.ts';
import { sqliteFault } from '../sql/sqlite-faults.ts';
import { inodeOf, makeFile } from './sqlite-file.ts';
import { LeftLog, LOG_PAGES } from './sqlite-log.ts';
import { turnsOf, type Turn, type Turns } from './sqlite-turns.ts';
import { StoreError } from '../sql/store-error.ts';

/**
 * How long a statement waits for another process, in milliseconds, during which it blocks this one. A reader is kept out only for moments,
 * while the log is recovered or ended; a writer asks for the lock again, without blocking, and with a turn never blocks at all.
 */
const READ_BUSY_TIMEOUT = 250;
const WRITE_BUSY_TIMEOUT = 5;
/** How often a writer that may not wait looks whether its file is still there, in milliseconds: that costs it as much as to begin a transaction. */
const CHECK = 10;
/** The write-ahead log is cut back to this size when it was longer. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

class SqliteDriver implements Driver, SqliteNow {
  readonly #connection: SqliteConnection;
  readonly #turns: Turns;
  readonly #file: string;
  readonly #inode: number | null;
  /** Null for a writer that expects to be the only one. */
  readonly #log: LeftLog | null;
  /** Null where each commit is durable by itself. */
  readonly #late: LateSync | null;
  #checked = -Infinity;

  constructor(
    connection: SqliteConnection,
    file: string,
    turns: Turns,
    { log = null, late = null }: { readonly log?: LeftLog | null; readonly late?: LateSync | null } = {},
  ) {
    this.#connection = connection;
    this.#turns = turns;
    this.#log = log;
    this.#late = late;
    this.#file = file;
    this.#inode = inodeOf(file);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  /** Takes the write lock at once, since a transaction that reads first and writes later could fail for good. */
  async beginTransaction(): Promise<void> {
    this.#checkFile();
    await this.#turns.begin(() => this.#connection.run('begin immediate'));
  }

  transactNow(act: (connection: SqliteConnection) => boolean): boolean {
    const connection = this.#connection;
    if (connection.inTransaction) return false;
    if (performance.now() - this.#checked >= CHECK) this.#checkFile();
    if (!this.#turns.beginNow(() => connection.run('begin immediate'))) return false;
    let done = false;
    try {
      done = act(connection);
      if (done) connection.run('commit');
    } finally {
      if (connection.inTransaction) connection.run('rollback');
    }
    if (done) this.#late?.syncNow();
    return done;
  }

  async durable(): Promise<void> {
    await this.#late?.sync();
  }

  /** SQLite would go on writing into a file that nobody can find again. */
  #checkFile(): void {
    if (inodeOf(this.#file) !== this.#inode)
      throw new StoreError('unavailable', `${this.#file} was removed or replaced while it was in use`, {
        hint: 'Put the file back, or start the service again on the new one; nothing was written since',
      });
    this.#checked = performance.now();
    this.#log?.look();
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
    this.#turns.close();
    this.#log?.close();
    this.#late?.close();
    this.#connection.close();
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
  /** How a writer stands to other processes that write to the file. */
  readonly turn?: Turn | undefined;
}

/**
 * openSqlite opens one connection to a file. The writing one makes the file where it is missing, in WAL mode with
 * `synchronous=FULL`, so that what was committed survives a power cut; one `behind` syncs after its commit (`LateSync`). Throws StoreError.
 */
export async function openSqlite(file: string, options: SqliteOptions): Promise<Dialect> {
  if (!existsSync(file)) {
    if (options.mustExist)
      throw new StoreError('unreadable', `${file} does not exist`, {
        hint: 'Check the path; the first start of a service makes its database',
      });
    makeFile(file);
  }
  // Who takes turns waits for its own.
  const writes = options.turn === undefined ? WRITE_BUSY_TIMEOUT : 0;
  let database: Database.Database;
  try {
    database = new Database(file, {
      timeout: options.readOnly ? READ_BUSY_TIMEOUT : writes,
      fileMustExist: true,
      readonly: options.untouched === true,
    });
  } catch (error) {
    throw sqliteFault(error, file);
  }
  const connection = new SqliteConnection(database, file);
  try {
    await turnsOf(file, undefined, options.lockTimeout).begin(() => {
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
    const turn = options.readOnly ? undefined : options.turn;
    return sqliteDialect(
      connection,
      new SqliteDriver(connection, file, turnsOf(file, turn, options.lockTimeout), {
        log: turn === undefined ? null : new LeftLog(database, file, turn),
        late: turn === 'behind' ? new LateSync(database, file) : null,
      }),
    );
  } catch (error) {
    database.close();
    throw sqliteFault(error, file);
  }
}

/** openMemory opens a database in memory, which goes with its connection: to see what statements leave. */
export function openMemory(): Dialect {
  const connection = new SqliteConnection(new Database(':memory:'), 'memory');
  return sqliteDialect(
    connection,
    new SqliteDriver(connection, ':memory:', turnsOf(':memory:', undefined, 0)),
  );
}

/** openBulk opens a file that is filled in one go and is worth nothing before: no journal, no waiting for the disk. Throws StoreError. */
export function openBulk(file: string): Dialect {
  let database: Database.Database;
  try {
    makeFile(file);
    database = new Database(file, { fileMustExist: true });
    for (const pragma of ['journal_mode = off', 'synchronous = off', 'locking_mode = exclusive'])
      database.pragma(pragma);
    database.pragma('cache_size = -16384');
    database.pragma('foreign_keys = on');
  } catch (error) {
    throw sqliteFault(error, file);
  }
  const connection = new SqliteConnection(database, file);
  return sqliteDialect(connection, new SqliteDriver(connection, file, turnsOf(file, undefined, 0)));
}

/** settleBulk makes what was filled by `openBulk`, and closed, a file that a service opens. The caller syncs it. Throws StoreError. */
export function settleBulk(file: string): void {
  try {
    const database = new Database(file, { fileMustExist: true });
    database.pragma('journal_mode = wal');
    database.close();
  } catch (error) {
    throw sqliteFault(error, file);
  }
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

function sqliteDialect(connection: SqliteConnection, driver: SqliteDriver): Dialect {
  return {
    createAdapter: () => new SqliteStoreAdapter(connection, driver),
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}
