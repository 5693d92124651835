import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import { postgresFault } from './postgres-faults.ts';
import { storableValues } from '../sql/storable.ts';
import { StoreError } from '../sql/store-error.ts';

/** PostgresOptions say how a server is used; times in milliseconds. */
export interface PostgresOptions {
  readonly poolSize: number;
  readonly connectTimeout: number;
  /** 0 is for ever. */
  readonly statementTimeout: number;
  readonly readOnly: boolean;
}

/** How much longer than the server's own limit this side waits for an answer, which a dead line never brings. */
const ANSWER_GRACE = 5000;
const INT8 = 20;
const NUMERIC = 1700;

/** PostgresConnection is one session of the pool, as long as a query or a transaction needs it. */
export class PostgresConnection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  readonly #name: string;
  /** A session that was cut in the middle is thrown away. */
  broken = false;

  constructor(client: pg.PoolClient, name: string) {
    this.client = client;
    this.#name = name;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { rows, rowCount, command } = await this.client.query(sql, storableValues(parameters));
      return command === 'SELECT' ? { rows } : { rows: rows ?? [], numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      const fault = postgresFault(error, this.#name);
      if (fault instanceof StoreError && fault.code === 'unavailable') this.broken ||= isOver(error);
      throw fault;
    }
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new TypeError('a stream would hold the connection; read by pages of the key');
  }
}

/** isOver tells that a session is of no more use: the line is cut, or it leads to a server that has become read-only. */
function isOver(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P|08|25P03$|25006$)/.test(error.code ?? '');
}

class PostgresDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #name: string;
  readonly #setup: string;
  readonly #ready = new WeakSet<pg.PoolClient>();

  constructor(pool: pg.Pool, name: string, options: PostgresOptions) {
    this.#pool = pool;
    this.#name = name;
    // `off` would lose what was answered as durable; a stricter setting than `on` is the operator's choice and stays.
    this.#setup = [
      `select set_config('statement_timeout', '${options.statementTimeout}', false)`,
      `select set_config('lock_timeout', '${options.statementTimeout}', false)`,
      `select set_config('idle_in_transaction_session_timeout', '${options.statementTimeout * 2}', false)`,
      ...(options.readOnly ? [`select set_config('default_transaction_read_only', 'on', false)`] : []),
      // Appends wait for each other on a locked row and then must see what was committed meanwhile.
      `select set_config('default_transaction_isolation', 'read committed', false)`,
      `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')`,
    ].join(';');
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    try {
      const client = await this.#pool.connect();
      if (!this.#ready.has(client)) {
        try {
          await client.query(this.#setup);
        } catch (error) {
          client.release(true);
          throw error;
        }
        this.#ready.add(client);
      }
      return new PostgresConnection(client, this.#name);
    } catch (error) {
      throw postgresFault(error, this.#name);
    }
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(raw('begin'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    if (!(connection instanceof PostgresConnection)) return;
    // The server answers COMMIT of a failed transaction with ROLLBACK, and without an error.
    try {
      const { command } = await connection.client.query('commit');
      if (command !== 'COMMIT') throw new StoreError('unavailable', `${this.#name} gave the transaction up`);
    } catch (error) {
      connection.broken = true;
      throw postgresFault(error, this.#name);
    }
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A session that is thrown away takes its transaction along; on a dead line the answer would only be waited for again.
    if (connection instanceof PostgresConnection && connection.broken) return;
    try {
      await connection.executeQuery(raw('rollback'));
    } catch {
      // The session is gone, and with it the transaction; the act's own error is the one to tell.
      if (connection instanceof PostgresConnection) connection.broken = true;
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof PostgresConnection) connection.client.release(connection.broken);
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

function raw(sql: string): CompiledQuery {
  return { sql, parameters: [] } as unknown as CompiledQuery;
}

/** PostgresStoreAdapter tells dialect.ts which engine stands behind a query. */
class PostgresStoreAdapter extends PostgresAdapter {}

/** postgresDialect opens a pool on a server; sessions are made when they are needed and made again when they are cut. */
export function postgresDialect(url: string, name: string, options: PostgresOptions): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeout,
    ...(options.statementTimeout === 0 ? {} : { query_timeout: options.statementTimeout + ANSWER_GRACE }),
    keepAlive: true,
    application_name: 'ipo',
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === INT8 || oid === NUMERIC
          ? Number
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // An idle session that the server cuts is replaced by the next query, which says what is wrong if something is.
  pool.on('error', () => {});
  // One that is cut while it is in use fails its query, which says it too; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    createAdapter: () => new PostgresStoreAdapter(),
    createDriver: () => new PostgresDriver(pool, name, options),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  };
}
