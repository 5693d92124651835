import type { Store } from '../../src/store/sql/store.ts';

/** Statement is one that was run for reading: its text, what was given for its marks, and how many rows it gave. */
export interface Statement {
  readonly text: string;
  readonly cells: readonly unknown[];
  readonly rows: number;
  /** Which turn of the event loop it ran in. */
  readonly turn: number;
}

type Run = (text: string, cells: readonly unknown[]) => unknown;

/**
 * watchReads keeps the statements that a store of SQLite runs for reading, until told to stop. What runs in one turn of the loop blocks
 * whoever else the process serves.
 */
export function watchReads(store: Store): { readonly statements: Statement[]; stop(): void } {
  const { connection } = store.read.getExecutor().adapter as unknown as {
    connection: { query: Run; cells: Run };
  };
  const statements: Statement[] = [];
  let turn = 0;
  let counted = false;
  const take = (text: string, cells: readonly unknown[], rows: number): void => {
    if (!counted) setImmediate(() => ([turn, counted] = [turn + 1, false]));
    counted = true;
    statements.push({ text, cells, rows, turn });
  };
  const { query, cells: read } = connection;
  connection.query = (text, given) => {
    const result = query.call(connection, text, given) as { rows: unknown[] };
    take(text, given, result.rows.length);
    return result;
  };
  connection.cells = (text, given) => {
    const result = read.call(connection, text, given) as unknown[];
    take(text, given, result.length);
    return result;
  };
  return {
    statements,
    stop: () => {
      connection.query = query;
      connection.cells = read;
    },
  };
}

/** longestTurn gives the most rows that were read in one turn of the loop. */
export function longestTurn(statements: readonly Statement[]): number {
  const turns = new Map<number, number>();
  for (const { turn, rows } of statements) turns.set(turn, (turns.get(turn) ?? 0) + rows);
  return Math.max(0, ...turns.values());
}
