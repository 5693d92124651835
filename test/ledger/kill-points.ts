import type { LedgerWriter, NoteSigner, Spool, TreeStore } from '../../src/ledger/index.ts';
import type { Store } from '../../src/store/index.ts';

/** POINTS are the places at which a process is killed: what stands right before or behind each act that must not be halved. */
export const POINTS = [
  'before the transaction',
  'in the transaction',
  'after a statement',
  'before the commit',
  'after the commit',
  'before the answer',
  'before the spool',
  'after the spool',
  'before what was put back leaves the spool',
  'after what was put back left the spool',
  'before the tiles',
  'after the tiles',
  'before signing',
  'after signing',
  'after the checkpoint',
] as const;

/** Point is one of them. */
export type Point = (typeof POINTS)[number];

/** Hit is called at each point that is passed. */
export type Hit = (point: Point) => void;

type Transaction = Parameters<Parameters<Store['write']>[0]>[0];
type WriteNow = NonNullable<Store['writeNow']>;
/** What runs statements of a connection of SQLite: all of it, since the others find no private field behind a proxy. */
const STATEMENTS = ['cells', 'query', 'run', 'runMany'];

/** watchStore gives a store that tells the points of its transactions and statements. */
export function watchStore(store: Store, hit: Hit): Store {
  const { writeNow } = store;
  return {
    ...store,
    ...(writeNow && { writeNow: (act) => watchNow(writeNow, act, hit) }),
    async write(act) {
      hit('before the transaction');
      const result = await store.write(async (transaction) => {
        hit('in the transaction');
        const given = await act(watchStatements(transaction, hit));
        hit('before the commit');
        return given;
      });
      hit('after the commit');
      return result;
    },
  };
}

/** The same points of a transaction that runs at once. */
function watchNow(writeNow: WriteNow, act: Parameters<WriteNow>[0], hit: Hit): boolean {
  hit('before the transaction');
  const done = writeNow((connection) => {
    hit('in the transaction');
    const given = act(watched(connection, STATEMENTS, hit) as typeof connection);
    hit('before the commit');
    return given;
  });
  hit('after the commit');
  return done;
}

/** Tells of each call of a method of some names, once it is done. */
function watched(
  target: object,
  names: readonly string[],
  hit: Hit,
  more: Readonly<Record<string, object>> = {},
): object {
  const after = (act: (...args: never[]) => unknown): unknown =>
    ((...args: never[]) => {
      const result = act.apply(target, args);
      if (!(result instanceof Promise)) hit('after a statement');
      return result instanceof Promise
        ? result.then((value: unknown) => (hit('after a statement'), value))
        : result;
    }) as unknown;
  return new Proxy(target, {
    get(from, name) {
      const value: unknown = more[name as string] ?? Reflect.get(from, name, from);
      if (typeof value !== 'function') return value;
      const act = value as (...args: never[]) => unknown;
      // A method that reads a private field finds none behind a proxy.
      return names.includes(name as string) ? after(act) : act.bind(from);
    },
  });
}

/** The statements of a transaction go through its executor, or on SQLite through the connection behind its adapter. */
function watchStatements(transaction: Transaction, hit: Hit): Transaction {
  const executor = transaction.getExecutor();
  const { adapter } = executor;
  const connection = (adapter as { connection?: object }).connection;
  const inner =
    connection === undefined
      ? watched(executor, ['executeQuery'], hit)
      : watched(executor, [], hit, {
          adapter: watched(adapter, [], hit, { connection: watched(connection, STATEMENTS, hit) }),
        });
  return new Proxy(transaction, {
    get: (from, name) => (name === 'getExecutor' ? () => inner : (Reflect.get(from, name, from) as unknown)),
  });
}

/** watchSpool gives a spool that tells its points. */
export function watchSpool(spool: Spool, hit: Hit): Spool {
  return {
    place: spool.place,
    get rows() {
      return spool.rows;
    },
    async append(entries) {
      hit('before the spool');
      const taken = await spool.append(entries);
      hit('after the spool');
      return taken;
    },
    peek: (rows) => spool.peek(rows),
    entries: () => spool.entries(),
    async drop(count) {
      hit('before what was put back leaves the spool');
      await spool.drop(count);
      hit('after what was put back left the spool');
    },
    setAside: (reason) => spool.setAside(reason),
    close: () => spool.close(),
  };
}

/** watchTree gives a tree that tells its points. */
export function watchTree(tree: TreeStore, hit: Hit): TreeStore {
  return {
    ...tree,
    alone: (act) =>
      tree.alone((growing) =>
        act({
          ...growing,
          async putTiles(...args) {
            hit('before the tiles');
            await growing.putTiles(...args);
            hit('after the tiles');
          },
          async putCheckpoint(...args) {
            await growing.putCheckpoint(...args);
            hit('after the checkpoint');
          },
        }),
      ),
  };
}

/** watchSigner gives a signer that tells its points. */
export function watchSigner(signer: NoteSigner, hit: Hit): NoteSigner {
  return {
    ...signer,
    sign(text) {
      hit('before signing');
      const signature = signer.sign(text);
      hit('after signing');
      return signature;
    },
  };
}

/** unsteady gives a writer that now and then is not there, so that the spool is used. */
export function unsteady(writer: LedgerWriter, isGone: () => boolean): LedgerWriter {
  return {
    appendNow(entries) {
      if (isGone()) throw new Error('the database is gone');
      return writer.appendNow?.(entries) ?? null;
    },
    async appendAll(entries) {
      if (isGone()) throw new Error('the database is gone');
      return writer.appendAll(entries);
    },
  };
}
