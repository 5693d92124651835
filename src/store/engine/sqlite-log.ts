import { fdatasyncSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy } from '../sql/sqlite-faults.ts';
import { Flag } from './sqlite-flag.ts';
import { syncedFile } from './sqlite-synced.ts';
import { FLAGS, type Turn } from './sqlite-turns.ts';

/** LOG_PAGES of the write-ahead log, after which it is brought into the file: by the writer's commit where nobody else does. */
export const LOG_PAGES = 4_000;
/** KEPT_LOG_PAGES is when a commit does so although somebody keeps the log (32 and 56 MiB): one behind spares the first from it. */
const KEPT_LOG_PAGES = { first: 14_000, behind: 8_000 } as const;

/** KEPT is the file beside the database that shows that somebody keeps its log. */
const KEPT = '-log-kept';
/** Pages that are brought in together: the disk has little to do at once, so that commits which wait for it meanwhile wait for little. */
const PIECE_PAGES = 400;
/** What is left to bring in while nobody can write: few enough pages to take little more than the disk's own time. */
const FEW_PAGES = 64;

/** LogStep is what a look at the log came to. */
export interface LogStep {
  /** Pages in the log, of which this many are in the file as well. */
  readonly pages: number;
  readonly inFile: number;
  /** `quiet`: there is nothing to do; `more`: look again at once; `begun`: the log begins again with the next write. */
  readonly outcome: 'quiet' | 'more' | 'begun';
  /** Whether pages were brought into the file. */
  readonly brought: boolean;
}

/** LogState is the log as SQLite tells it. */
type LogState = Pick<LogStep, 'pages' | 'inFile'> & { readonly busy: boolean };

/**
 * LogKeeper brings the write-ahead log of a file into the database, piece by piece, so that no commit has to wait for that. What takes long is
 * done while others write. Only the last few pages, after which the log begins again, are brought in under the write lock, and not while the
 * first waits for it. Its calls block: it belongs into a thread of its own.
 */
export class LogKeeper {
  readonly #database: Database.Database;
  readonly #first: Flag;
  readonly #kept: Flag;
  readonly #synced: number;

  /**
   * The file must be there. `synced` is a descriptor of it from `syncedFile`, which a thread gets from the main one. Throws what SQLite throws.
   */
  constructor(file: string, synced = syncedFile(file)) {
    this.#synced = synced;
    this.#database = new Database(file, { timeout: 0, fileMustExist: true });
    this.#first = new Flag(file, FLAGS.first);
    this.#kept = new Flag(file, KEPT);
    this.#database.pragma('synchronous = full');
    this.#database.pragma('wal_autocheckpoint = 0');
  }

  /** Does what is next to do. */
  step(): LogStep {
    this.#kept.raise();
    const before = this.#ask('noop');
    const isLong = before.pages >= LOG_PAGES;
    const now = left(before) >= (isLong ? FEW_PAGES : PIECE_PAGES) ? this.#bringIn(before) : before;
    const brought = now.inFile > before.inFile;
    // Where all is in the file, the next commit begins the log again.
    if (now.pages < LOG_PAGES || (left(now) === 0 && !brought)) return toStep(now, 'quiet', brought);
    // More came meanwhile, or an old reader keeps the rest out of the file.
    if (left(now) >= FEW_PAGES) return toStep(now, brought ? 'more' : 'quiet', brought);
    if (this.#first.isUp) return toStep(now, 'more', brought);
    const end = this.#ask('restart');
    return toStep(end, end.busy ? 'more' : 'begun', true);
  }

  /** While others write. SQLite leaves out the sync where the log grew meanwhile, and would do all of it under the lock of the restart. */
  #bringIn(before: LogState): LogState {
    const { inFile } = this.#ask('passive');
    if (inFile > before.inFile) fdatasyncSync(this.#synced);
    return this.#ask('noop');
  }

  close(): void {
    this.#kept.close();
    this.#first.close();
    this.#database.close();
  }

  #ask(how: 'noop' | 'passive' | 'restart'): LogState {
    try {
      const [row] = this.#database.pragma(`wal_checkpoint(${how})`) as {
        busy: number;
        log: number;
        checkpointed: number;
      }[];
      return {
        busy: row?.busy !== 0,
        pages: Math.max(0, row?.log ?? 0),
        inFile: Math.max(0, row?.checkpointed ?? 0),
      };
    } catch (error) {
      if (!isBusy(error)) throw error;
      return { busy: true, pages: 0, inFile: 0 };
    }
  }
}

const left = ({ pages, inFile }: LogState): number => pages - inFile;

function toStep({ pages, inFile }: LogState, outcome: LogStep['outcome'], brought: boolean): LogStep {
  return { pages, inFile, outcome, brought };
}

/** How often a writer looks whether somebody keeps the log, in milliseconds. */
const LOOK = 1000;

/** LeftLog is the log as a writer with a turn sees it, which leaves it to who keeps it as long as that is there. */
export class LeftLog {
  readonly #database: Database.Database;
  readonly #kept: Flag;
  readonly #turn: Turn;
  #isKept = false;
  #looked = -Infinity;

  constructor(database: Database.Database, file: string, turn: Turn) {
    this.#database = database;
    this.#kept = new Flag(file, KEPT);
    this.#turn = turn;
  }

  /** Call it outside of a transaction. */
  look(): void {
    const now = performance.now();
    if (now - this.#looked < LOOK) return;
    this.#looked = now;
    if (this.#kept.isUp === this.#isKept) return;
    this.#isKept = !this.#isKept;
    this.#database.pragma(`wal_autocheckpoint = ${this.#isKept ? KEPT_LOG_PAGES[this.#turn] : LOG_PAGES}`);
  }

  close(): void {
    this.#kept.close();
  }
}
