import type { CompiledQuery, QueryExecutorProvider, Selectable } from 'kysely';
import type { Tables } from '../tables/index.ts';
import { sqliteOf } from './dialect.ts';

/** Executor is a handle or a transaction of a store. */
export type Executor = Parameters<typeof sqliteOf>[0];

/** Row is what a statement gives of a row of a table: these columns, as the table has them. */
export type Row<Table extends keyof Tables, Column extends keyof Selectable<Tables[Table]>> = Pick<
  Selectable<Tables[Table]>,
  Column
>;

/** MaybeRow is Row of a table that is joined from outside: all null where it has none that fits. */
export type MaybeRow<Table extends keyof Tables, Column extends keyof Selectable<Tables[Table]>> = {
  [Name in Column]: Row<Table, Name>[Name] | null;
};

/** Statement is what Kysely's builder and its `sql` template make, with the rows that it gives. */
interface Statement<Given> {
  compile(db: QueryExecutorProvider): CompiledQuery<Given>;
}

/** run runs one statement and gives the rows that it returns; on SQLite it stays prepared. */
export async function run<Given>(db: Executor, statement: Statement<Given>): Promise<Given[]> {
  return runCompiled(db, compiled(db, statement));
}

/**
 * compiled makes a statement ready for runCompiled, which takes as long as SQLite takes for a row or two. For many statements of one
 * transaction it is done before that begins, since others wait for its end.
 */
export function compiled<Given>(db: Executor, statement: Statement<Given>): CompiledQuery<Given> {
  return statement.compile(db);
}

/** runCompiled is `run` for what `compiled` made. */
export async function runCompiled<Given>(db: Executor, query: CompiledQuery<Given>): Promise<Given[]> {
  const sqlite = sqliteOf(db);
  if (sqlite !== null) return sqlite.query(query.sql, query.parameters).rows as Given[];
  return (await db.getExecutor().executeQuery(query)).rows;
}

/** readCells reads many rows as lists of cells, in the order in which the statement names its columns, as fast as the engine can. */
export async function readCells<Given>(
  db: Executor,
  statement: Statement<Given>,
): Promise<readonly (readonly unknown[])[]> {
  const query = statement.compile(db);
  const sqlite = sqliteOf(db);
  if (sqlite !== null) return sqlite.cells(query.sql, query.parameters);
  const { rows } = await db.getExecutor().executeQuery(query);
  return rows.map((row) => Object.values(row as object));
}
