import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy } from '../sql/sqlite-faults.ts';
import { makeBeside } from './sqlite-file.ts';

/**
 * Flag is a mark that one process sets and the others of the same file see at once. It is a lock of the operating system on a small file
 * beside the database, so it is gone when its process is, however that ended. Looking takes 7 µs, raising 0.1 ms.
 */
export class Flag {
  readonly #database: Database.Database;
  readonly #raise: Database.Statement;
  readonly #lower: Database.Statement;
  #look: Database.Statement | null = null;
  #held = false;

  /** `name` is appended to the path of the database. Throws StoreError `unwritable` where the file cannot be made. */
  constructor(database: string, name: string) {
    const file = database + name;
    if (!existsSync(file)) makeBeside(file, database);
    this.#database = new Database(file, { timeout: 0, fileMustExist: true });
    this.#raise = this.#database.prepare('begin exclusive');
    this.#lower = this.#database.prepare('rollback');
  }

  /** Sets it; false while somebody else has it set, or is just looking. */
  raise(): boolean {
    this.#held ||= free(() => this.#raise.run());
    return this.#held;
  }

  lower(): void {
    if (this.#held) this.#lower.run();
    this.#held = false;
  }

  /** Whether somebody else has it set. */
  get isUp(): boolean {
    if (this.#held) return false;
    // Preparing reads the file, which may be locked as well.
    return !free(() => (this.#look ??= this.#database.prepare('select 1 from sqlite_master')).get());
  }

  /** Closes the file, which lowers the flag. */
  close(): void {
    this.#held = false;
    this.#database.close();
  }
}

function free(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return false;
  }
}
