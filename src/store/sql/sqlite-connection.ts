import type Database from 'better-sqlite3';
import { SqliteAdapter, type CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely';
import { sqliteFault } from './sqlite-faults.ts';
import { storableValues } from './storable.ts';

/** Cell is a value that both engines hold. */
export type Cell = string | number | Buffer | null;

/** SqliteNow runs transactions without waiting for anybody. */
export interface SqliteNow {
  /**
   * Runs a synchronous act in a transaction of the connection, and commits when it gives true; nothing is left of it otherwise. False
   * where that was not possible at once as well. Throws what the act throws, and StoreErrors.
   */
  transactNow(act: (connection: SqliteConnection) => boolean): boolean;
  /** Ends once what the connection has committed is durable; at once where each commit is by itself. Throws StoreErrors. */
  durable(): Promise<void>;
}

const NONE: readonly Cell[] = [];
/** Prepared statements that a connection keeps; the oldest goes first. */
const MAX_STATEMENTS = 500;

/** SqliteConnection is one connection with its prepared statements. Its calls block the process while SQLite works. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly name: string;

  constructor(database: Database.Database, name: string) {
    this.#database = database;
    this.name = name;
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Gives the prepared statement of a text, from the cache where it is there. */
  statement(sql: string): Database.Statement {
    const kept = this.#statements.get(sql);
    if (kept !== undefined) return kept;
    const made = this.#database.prepare(sql);
    if (this.#statements.size >= MAX_STATEMENTS) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(sql, made);
    return made;
  }

  /** Runs a statement without a result; `cells` must be storable. Gives how many rows it changed. Faults are StoreErrors. */
  run(sql: string, cells: readonly Cell[] = NONE): number {
    try {
      return this.statement(sql).run(cells).changes;
    } catch (error) {
      throw sqliteFault(error, this.name);
    }
  }

  /** Runs one statement as often as there are rows of parameters, which must be storable. Faults are StoreErrors. */
  runMany(sql: string, rows: Iterable<readonly unknown[]>): void {
    try {
      const statement = this.statement(sql);
      for (const row of rows) statement.run(row);
    } catch (error) {
      throw sqliteFault(error, this.name);
    }
  }

  /** Reads rows as lists of cells in the order of the columns, which takes half the time of objects. */
  cells(sql: string, parameters: readonly unknown[]): unknown[][] {
    try {
      return this.#raw(sql).all(parameters) as unknown[][];
    } catch (error) {
      throw sqliteFault(error, this.name);
    }
  }

  /** Runs one statement that returns a row as often as there are rows of parameters, and gives the cells of each. Faults are StoreErrors. */
  cellsMany(sql: string, rows: Iterable<readonly unknown[]>): unknown[][] {
    try {
      const statement = this.#raw(sql);
      const found: unknown[][] = [];
      for (const row of rows) found.push(statement.get(row) as unknown[]);
      return found;
    } catch (error) {
      throw sqliteFault(error, this.name);
    }
  }

  #raw(sql: string): Database.Statement {
    const key = `raw ${sql}`;
    let statement = this.#statements.get(key);
    if (statement === undefined) {
      statement = this.#database.prepare(sql).raw(true);
      this.#statements.set(key, statement);
    }
    return statement;
  }

  query(sql: string, parameters: readonly unknown[]): QueryResult<unknown> {
    try {
      const statement = this.statement(sql);
      const values = storableValues(parameters);
      if (statement.reader) return { rows: statement.all(values) };
      const { changes, lastInsertRowid } = statement.run(values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (error) {
      throw sqliteFault(error, this.name);
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return this.query(sql, parameters) as QueryResult<R>;
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new TypeError('a stream would hold the connection; read by pages of the key');
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

/** SqliteStoreAdapter gives dialect.ts the connection behind a transaction, and what runs one without Kysely. */
export class SqliteStoreAdapter extends SqliteAdapter {
  readonly connection: SqliteConnection;
  readonly now: SqliteNow;

  constructor(connection: SqliteConnection, now: SqliteNow) {
    super();
    this.connection = connection;
    this.now = now;
  }
}
