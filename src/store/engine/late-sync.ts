import { closeSync, constants, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { diskFault } from '../sql/sqlite-faults.ts';
import type { StoreError } from '../sql/store-error.ts';

/**
 * LateSync makes what a connection commits durable after the write lock is free again: a commit that waits for the disk inside of it keeps
 * every other process waiting as long. Meanwhile others see what is not durable yet. A process that acts on it first writes down that it does, and
 * that commit makes everything before it in the log durable as well.
 */
export class LateSync {
  readonly #file: string;
  #log: number | null = null;

  /** `file` is the database. */
  constructor(database: Database.Database, file: string) {
    this.#file = file;
    // The log and the file stay whole after a power cut; only the end of the log may be missing.
    database.pragma('synchronous = normal');
  }

  /** Ends once everything that was committed is durable. Throws StoreError `unavailable`: then nobody knows whether it is. */
  async sync(): Promise<void> {
    try {
      const log = this.#open();
      await new Promise<void>((resolve, reject) => {
        fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      });
    } catch (error) {
      throw this.#fault(error);
    }
  }

  /** The same, while this process waits. */
  syncNow(): void {
    try {
      fdatasyncSync(this.#open());
    } catch (error) {
      throw this.#fault(error);
    }
  }

  close(): void {
    if (this.#log !== null) closeSync(this.#log);
    this.#log = null;
  }

  /** SQLite keeps the log that a commit has written to for as long as the connection is open. */
  #open(): number {
    return (this.#log ??= openSync(`${this.#file}-wal`, constants.O_RDWR));
  }

  #fault(cause: unknown): StoreError {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    return diskFault(code, this.#file, cause);
  }
}
