import type { Store } from '../../src/store/sql/store.ts';

/** Statement is what one statement given as text read, and in which turn of the event loop it did. */
export interface Statement {
  readonly text: string;
  readonly rows: number;
  /** Whether it ran inside a transaction. */
  readonly written: boolean;
  readonly turn: number;
}

/** Listened is a store that remembers its statements, those of a query builder left out. */
export interface Listened {
  readonly store: Store;
  /** The statements since it was asked last. */
  take(): readonly Statement[];
  stop(): void;
}

type Handle = Pick<Store['read'], 'getExecutor'>;

/** listenTo gives a store that remembers what its statements read; `stop` it in the end. */
export function listenTo(store: Store): Listened {
  let statements: Statement[] = [];
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const heard = (text: string, written: boolean, rows: unknown): void => {
    statements.push({ text, rows: Array.isArray(rows) ? rows.length : 0, written, turn });
  };
  return {
    store: {
      ...store,
      read: listening(store.read, (text, rows) => heard(text, false, rows)),
      write: (act) =>
        store.write((transaction) => act(listening(transaction, (text, rows) => heard(text, true, rows)))),
    },
    take() {
      const taken = statements;
      statements = [];
      return taken;
    },
    stop: () => clearImmediate(next),
  };
}

/** The statements of SQLite go through the connection behind the adapter, those of PostgreSQL through the executor. */
function listening<T extends Handle>(handle: T, heard: (text: string, rows: unknown) => void): T {
  const executor = handle.getExecutor() as unknown as Inner;
  const { adapter } = executor;
  const { connection } = adapter;
  const inner =
    connection === undefined
      ? withMethods(executor, {
          executeQuery: async (query: { readonly sql: string }) => {
            const result = await executor.executeQuery(query);
            heard(query.sql, result.rows);
            return result;
          },
        })
      : withMethods(executor, {
          adapter: withMethods(adapter, {
            connection: withMethods(connection, {
              query: (text: string, cells: readonly unknown[]) => {
                const result = connection.query(text, cells);
                heard(text, result.rows);
                return result;
              },
              cells: (text: string, cells: readonly unknown[]) => {
                const rows = connection.cells(text, cells);
                heard(text, rows);
                return rows;
              },
              runMany: (text: string, rows: Iterable<readonly unknown[]>) => {
                connection.runMany(text, rows);
                heard(text, []);
              },
            }),
          }),
        });
  return withMethods(handle, { getExecutor: () => inner });
}

interface Inner {
  readonly adapter: {
    readonly connection?: {
      query(text: string, cells: readonly unknown[]): { readonly rows: readonly unknown[] };
      cells(text: string, cells: readonly unknown[]): readonly unknown[];
      runMany(text: string, rows: Iterable<readonly unknown[]>): void;
    };
  };
  executeQuery(query: { readonly sql: string }): Promise<{ readonly rows: readonly unknown[] }>;
}

function withMethods<T extends object>(target: T, more: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get(from, name) {
      if (name in more) return more[name as string];
      const value: unknown = Reflect.get(from, name, from);
      return typeof value === 'function' ? value.bind(from) : value;
    },
  });
}
