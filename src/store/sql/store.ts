import type { Kysely, Transaction } from 'kysely';
import type { SqliteNow } from './sqlite-connection.ts';
import type { Tables } from '../tables/index.ts';

/**
 * Store is an opened database of either engine. Only text, integer and blob columns: times are UTC milliseconds, booleans 0 and 1, JSON is
 * text.
 */
export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  /** For reading; never for writing. On SQLite it is a connection of its own, which sees what was committed. */
  readonly read: Kysely<Tables>;
  /**
   * Runs one write transaction and commits it durably; an act that throws leaves nothing behind. Called inside the act of
   * another `write` (however deep, across awaits) it joins that transaction, so that an act and its audit entry commit
   * together or not at all: where one that joined threw, the whole throws its error. In one process writes go one after
   * another on SQLite; on PostgreSQL they run side by side.
   */
  write<T>(act: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Runs an act once the `write` that the caller is inside of has committed, before that gives what it gives; at once outside of one. For
   * what follows from a commit in transactions of its own: where it throws, the write throws although it was committed.
   */
  after(act: () => Promise<void>): Promise<void>;
  /**
   * Runs a short synchronous transaction at once, ahead of writes that wait, and commits it durably where its act gives true; otherwise
   * nothing is left of it. False as well where it would have to wait for a write of this process or of another: then `write` is to be
   * called. Throws what the act throws. Absent on PostgreSQL.
   */
  readonly writeNow?: SqliteNow['transactNow'];
  /** Whether the caller is inside the act of a `write` that is not over. What must commit on its own refuses to begin there. */
  isWriting(): boolean;
  /**
   * Takes what was overwritten or deleted out of the files of the database: on SQLite the write-ahead log is written out and emptied,
   * unless a reader of an earlier state still needs it: then false, and it is to be called again. Never inside of a `write`, whose end
   * it waits for. On PostgreSQL it is the server's to do.
   */
  forgetDeleted(): Promise<boolean>;
  close(): Promise<void>;
}
