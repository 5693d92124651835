import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely, Transaction } from 'kysely';
import { connect, prepare, type ConnectOptions } from './connect.ts';
import { emptyLog, sqliteNow } from '../sql/dialect.ts';
import { parseLocation, type StoreLocation } from './location.ts';
import type { Migration } from '../migrations/index.ts';
import type { Turn } from './sqlite-turns.ts';
import { StoreError } from '../sql/store-error.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';
import { WriteWatch, type WriteTimes } from './write-times.ts';

/** StoreOptions say which database is opened and how; times in milliseconds. */
export interface StoreOptions {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly url: string;
  /** Brings the schema up to date first (default); without it an older schema is refused. */
  readonly migrate?: boolean;
  /**
   * Another process of this service has found the tables to be right, and keeps the schema up to date: only its history is read, and a
   * server that does not answer is taken at its word. What comparing the tables takes is most of the start of a process.
   */
  readonly checked?: boolean;
  /** Nothing is written, nor can be; the database must be there and up to date. */
  readonly readOnly?: boolean;
  /** Sessions of PostgreSQL at most, half of them for writing; at least one for each (10). */
  readonly poolSize?: number;
  /** How long a connection may take to come about (5 s). */
  readonly connectTimeout?: number;
  /** How long one statement of PostgreSQL may take (30 s). */
  readonly statementTimeout?: number;
  /** How long a transaction of SQLite waits for another process (10 s). */
  readonly lockTimeout?: number;
  /**
   * Where several processes write to one file of SQLite: `first` for the one that answers reviews, `behind` for every other. The first
   * never waits for longer than the transaction under way and a millisecond; without it a process expects to be the only one. Nothing on
   * PostgreSQL.
   */
  readonly turn?: Turn | undefined;
  /** Told of each write transaction, joined ones with that which they joined. */
  readonly onWrite?: ((write: WriteTimes) => void) | undefined;
  /** How long another process may be at migrating before this one gives up (10 min). */
  readonly migrationWait?: number;
  /** The history to follow; that of this program unless a test says otherwise. */
  readonly migrations?: readonly Migration[];
  /** Present, for the times that the store writes by itself. */
  readonly now?: () => number;
}

interface Handles {
  readonly read: Kysely<Tables>;
  /** The same as `read` where nothing may be written. */
  readonly writer: Kysely<Tables>;
}

/**
 * openStore opens a database, brings its schema up to date and gives the handle to it. Throws StoreError: `usage`, `unavailable`,
 * `unreadable`, `unwritable`, `damaged` or `migration`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const location = parseLocation(options.url);
  const readOnly = options.readOnly === true;
  const change = !readOnly && options.migrate !== false;
  // A file that was checked and is gone is missing; one made in its place would take rows that nobody finds again.
  const mustExist = !change || options.checked === true;
  const connecting = { ...options, wait: options.migrationWait, readOnly, mustExist };
  await prepare(location, change, connecting);
  const { poolSize = 10 } = options;
  const forWriting = readOnly ? poolSize : Math.max(1, Math.floor(poolSize / 2));
  const writer = await connect<Tables>(location, { ...connecting, poolSize: forWriting });
  const handles: Handles = {
    writer,
    read: readOnly
      ? writer
      : await reading(location, { ...connecting, poolSize: Math.max(1, poolSize - forWriting) }, writer),
  };
  return {
    engine: location.engine,
    read: handles.read,
    ...writing(writer, readOnly ? location.name : null, options.onWrite),
    forgetDeleted: async () => readOnly || emptyLog(writer),
    close: () => closeHandles(handles),
  };
}

/** A handle of its own: on SQLite reads go on while something is written, on PostgreSQL an act can read while it writes. */
async function reading(
  location: StoreLocation,
  options: ConnectOptions,
  writer: Kysely<Tables>,
): Promise<Kysely<Tables>> {
  try {
    return await connect<Tables>(location, { ...options, readOnly: true });
  } catch (error) {
    await writer.destroy();
    throw error;
  }
}

async function closeHandles({ read, writer }: Handles): Promise<void> {
  await read.destroy();
  if (writer !== read) await writer.destroy();
}

/** Work is the transaction that an act runs in; once it is over, what the act left running starts one of its own. */
interface Work {
  readonly transaction: Transaction<Tables>;
  over: boolean;
  /** What an act that had joined threw: the whole commits no more, even if its caller goes on. */
  failure: { readonly error: unknown } | null;
  readonly after: (() => Promise<void>)[];
}

function writing(
  writer: Kysely<Tables>,
  readOnly: string | null,
  onWrite: StoreOptions['onWrite'],
): Pick<Store, 'write' | 'writeNow' | 'after' | 'isWriting'> {
  const current = new AsyncLocalStorage<Work>();
  const now = readOnly === null ? sqliteNow(writer) : null;
  const isWriting: Store['isWriting'] = () => current.getStore()?.over === false;
  const write: Store['write'] = async (act) => {
    if (readOnly !== null) throw new StoreError('unwritable', `${readOnly} was opened for reading only`);
    const joined = current.getStore();
    if (joined !== undefined && !joined.over) {
      try {
        return await act(joined.transaction);
      } catch (error) {
        joined.failure ??= { error };
        throw error;
      }
    }
    const watch = onWrite === undefined ? undefined : new WriteWatch(onWrite, write);
    const following: (() => Promise<void>)[] = [];
    let given: Awaited<ReturnType<typeof act>>;
    try {
      given = await writer.transaction().execute(async (transaction) => {
        watch?.begun();
        const work: Work = { transaction, over: false, failure: null, after: following };
        try {
          const made = await current.run(work, () => act(transaction));
          if (work.failure !== null) throw work.failure.error;
          return made;
        } finally {
          work.over = true;
        }
      });
    } finally {
      watch?.ended();
    }
    await now?.durable();
    for (const follow of following) await follow();
    return given;
  };
  const after: Store['after'] = async (act) => {
    const work = current.getStore();
    if (work === undefined || work.over) await act();
    else work.after.push(act);
  };
  if (now === null) return { write, after, isWriting };
  const writeNow: Store['writeNow'] = (act) => {
    if (onWrite === undefined) return now.transactNow(act);
    const began = performance.now();
    const done = now.transactNow(act);
    if (done) onWrite({ waited: 0, held: performance.now() - began, from: () => 'writeNow' });
    return done;
  };
  return { write, writeNow, after, isWriting };
}
