import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fence } from '../../leadership/index.ts';
import {
  AppendError,
  type LedgerEntry,
  type LedgerWriter,
  type NewRow,
  type Stored,
} from '../../ledger/index.ts';
import { ROW, toCells, toEntry, writeCells, type Entry } from './append-entry.ts';
import { AppendMemory } from './append-memory.ts';
import { insertMany, insertNow, isRefused, runText, sqliteOf, type Cell } from '../sql/dialect.ts';
import { holdFence } from '../leadership/fence.ts';
import { readReviews } from '../cells/row-reader.ts';
import { FILL_SPANS, fullSpans } from './spans.ts';
import type { Store } from '../sql/store.ts';
import { Written } from '../engine/written.ts';

type Executor = Parameters<typeof runText>[0];

/** Outcome is what a transaction gives: the answers, and what may be remembered once it is committed. */
interface Outcome {
  readonly answers: Stored[];
  readonly keep: () => void;
}

/** StoreLedgerWriter appends to the ledger of a store. */
export interface StoreLedgerWriter extends LedgerWriter {
  /**
   * Learns, in turns of the event loop, which reviews are in the ledger by now. Before the first append, and again and again where other
   * processes append as well, so that no append has much to read. Throws when the database does not answer.
   */
  follow(): Promise<void>;
}

const FIRST_ROW = 'select review_uid from ledger_rows where id = ? and part = 0';
const GROW = 'update ledger_head set size = ? where id = 1 and size = ?';

/** LedgerWriterOptions say what a writer is for. */
export interface LedgerWriterOptions {
  /** Whether it appends reviews (default), whose uids are remembered for as long as the ledger is; without it entries have no uid. */
  readonly reviews?: boolean;
}

/** ledgerWriter appends rows to the ledger of a store, each call in a transaction of its own. */
export function ledgerWriter(store: Store, { reviews = true }: LedgerWriterOptions = {}): StoreLedgerWriter {
  return new StoreWriter(store, reviews);
}

class StoreWriter implements StoreLedgerWriter {
  readonly #store: Store;
  readonly #memory: AppendMemory;
  readonly #reviews: boolean;
  /** Never inside somebody else's transaction, whose end would come after the answer. */
  readonly #outside = AsyncLocalStorage.snapshot();

  /** What is remembered changes with each commit, so calls go one after another; the head's lock would make them anyway. */
  #turn: Promise<unknown>;
  /** Calls that have not ended. */
  #waiting = 1;

  constructor(store: Store, reviews: boolean) {
    this.#store = store;
    this.#reviews = reviews;
    this.#memory = new AppendMemory(store, reviews);
    this.#turn = this.#ended(this.#memory.uids.follow()); // what cannot be read now is read with the first append
  }

  follow(): Promise<void> {
    return this.#memory.uids.follow();
  }

  unready(): string | null {
    return this.#memory.uids.hasFollowed ? null : 'the reviews that the ledger holds have not been read yet';
  }

  async appendAll(given: readonly LedgerEntry[]): Promise<readonly Stored[]> {
    this.#refuseInside();
    this.#refuseReviews(given);
    this.#waiting += 1;
    const done = this.#turn.then(() => this.#appendAlone(given.map(toEntry)));
    this.#turn = this.#ended(done);
    return done;
  }

  async #ended(call: Promise<unknown>): Promise<void> {
    await call.catch(() => {});
    this.#waiting -= 1;
  }

  appendNow(given: readonly LedgerEntry[]): readonly Stored[] | null {
    const { writeNow } = this.#store;
    if (writeNow === undefined || this.#waiting > 0) return null;
    this.#refuseInside();
    this.#refuseReviews(given);
    const entries = given.map(toEntry);
    const before = this.#memory.uids.size;
    const size = entries.reduce((sum, { rows }) => sum + rows.length, before);
    const full = fullSpans(before, size);
    let plan = this.#memory.planNow(entries, null);
    if (plan === null) return null;
    try {
      const done = writeNow((sqlite) => {
        // Where another process appended, what is planned here is wrong.
        if (sqlite.run(GROW, [size, before]) !== 1) return false;
        if (plan === 'shapes') plan = this.#memory.planNow(entries, sqlite);
        if (plan === null || plan === 'shapes') return false;
        const { suspects, cells, inserts } = plan;
        for (const { id, key } of suspects) {
          const [[uid] = []] = sqlite.cells(FIRST_ROW, [id]);
          if (Buffer.isBuffer(uid) && uid.toString('latin1') === key) return false; // a repeat
        }
        writeCells(sqlite, cells);
        for (const { table, types, rows, tail } of inserts) insertNow(sqlite, table, types, rows, tail);
        if (full !== null) sqlite.run(FILL_SPANS, full);
        return true;
      });
      if (!done || plan === 'shapes') return null;
    } catch (error) {
      throw this.#failed(error);
    }
    plan.keep();
    return plan.answers;
  }

  areNew(given: readonly LedgerEntry[]): boolean {
    const { uids } = this.#memory;
    return (
      this.#store.writeNow !== undefined && uids.hasFollowed && uids.suspects(given.map(toEntry)).length === 0
    );
  }

  #refuseReviews(given: readonly LedgerEntry[]): void {
    if (!this.#reviews && given.some(({ uid }) => uid !== null))
      throw new TypeError('this writer knows no reviews, and would not notice one that is there already');
  }

  #refuseInside(): void {
    // On SQLite it would wait for the end of that write, which waits for this.
    if (this.#store.isWriting())
      throw new TypeError(
        'ledger rows commit on their own: append them before or after a write, not inside it',
      );
  }

  async #appendAlone(entries: readonly Entry[]): Promise<readonly Stored[]> {
    try {
      const { answers, keep } = await this.#memory.uids.following(() =>
        this.#outside(() => this.#store.write((transaction) => this.#append(transaction, entries))),
      );
      keep();
      return answers;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** What to throw for a fault of the database. */
  #failed(error: unknown): unknown {
    this.#memory.images.forget();
    if (!isRefused(error)) return error;
    return new AppendError('invalid_request', 'the database can never hold the rows of the review', {
      cause: error,
    });
  }

  async #append(transaction: Executor, entries: readonly Entry[]): Promise<Outcome> {
    let most = 0;
    for (const { rows } of entries) most += rows.length;
    // The row of the head is locked from here to the commit, so that numbers follow the order of commits.
    const [head] = await runText<{ size: number }>(
      transaction,
      'update ledger_head set size = size + ? where id = 1 returning size',
      [most],
    );
    if (head === undefined) throw new Error('the ledger has no head');
    const before = head.size - most;
    await holdFences(transaction, entries);
    if (await this.#memory.uids.catchUp(transaction, before)) this.#memory.images.forget(); // another process appended
    const there = await this.#memory.uids.find(transaction, entries);

    const { rows, starts, added } = place(entries, there, before);
    const shapes = await this.#memory.shapesOf(transaction, rows);
    const names = await this.#memory.namesOf(transaction, rows);
    const times = rows.map(({ at }) => at);
    const fresh = rows.length === most ? entries : entries.filter((_, i) => starts[i] !== -1);
    const cells = toCells(fresh, before, shapes.found, names.found);
    const sqlite = sqliteOf(transaction);
    if (sqlite === null) await insertMany(transaction, 'ledger_rows', ROW, inRows(cells));
    else writeCells(sqlite, cells);
    if (rows.length < most) {
      await runText(transaction, 'update ledger_head set size = ? where id = 1', [before + rows.length]);
    }
    const images = this.#memory.images.plan(shapes.found, times, before + 1);
    for (const insert of images.inserts)
      await insertMany(transaction, insert.table, insert.types, insert.rows, insert.tail);
    const full = fullSpans(before, before + rows.length);
    if (full !== null) await runText(transaction, FILL_SPANS, full);
    const keepUids = await this.#memory.uids.add(transaction, added, before + rows.length);

    const again = entries.flatMap(({ key, rows: own }, i) => {
      const first = starts[i] === -1 ? there.get(key) : undefined;
      return first === undefined ? [] : [{ first, rows: own.length }];
    });
    const stored = await readReviews(transaction, again);
    const answers: Stored[] = [];
    for (const [i, entry] of entries.entries()) {
      const first = starts[i] === -1 ? there.get(entry.key) : undefined;
      if (first !== undefined) {
        answers.push({ rows: stored.get(first) ?? [], repeat: true });
        continue;
      }
      const same = starts[i] === -1 ? entries.findIndex(({ key }) => key === entry.key) : i;
      const at = starts[same] as number;
      const { rows: own, uid } = entries[same] as Entry;
      answers.push(
        new Written(uid, own, before + at + 1, shapes.found.slice(at, at + own.length), same !== i),
      );
    }
    const keep = (): void => {
      shapes.keep();
      names.keep();
      images.keep();
      keepUids();
    };
    return { answers, keep };
  }
}

/** Placed are the rows of entries that are to be written. */
interface Placed {
  readonly rows: NewRow[];
  /** Where the rows of each entry begin among these; -1 for a repeat. */
  readonly starts: readonly number[];
  /** The number of the first row of each review that is new. */
  readonly added: Map<string, number>;
}

/** Puts the rows of what is new behind one another; `there` are the reviews that the ledger has, which has `before` rows. */
function place(entries: readonly Entry[], there: ReadonlyMap<string, number>, before: number): Placed {
  const starts: number[] = [];
  const added = new Map<string, number>();
  const rows: NewRow[] = [];
  for (const { key, packed, rows: own } of entries) {
    const repeat = packed !== null && (there.has(key) || added.has(key));
    starts.push(repeat ? -1 : rows.length);
    if (repeat) continue;
    if (packed !== null) added.set(key, before + rows.length + 1);
    for (const row of own) rows.push(row);
  }
  return { rows, starts, added };
}

/** Throws LeadershipError `lost` when a leader of one of the entries leads no more; its fence stays until the commit otherwise. */
async function holdFences(transaction: Executor, entries: readonly Entry[]): Promise<void> {
  const fences = new Map<string, Fence>();
  for (const { fence } of entries) if (fence !== null) fences.set(`${fence.value} ${fence.name}`, fence);
  for (const fence of fences.values()) await holdFence(transaction, fence);
}

function inRows(cells: readonly Cell[]): Cell[][] {
  const width = Object.keys(ROW).length;
  const rows: Cell[][] = [];
  for (let at = 0; at < cells.length; at += width) rows.push(cells.slice(at, at + width));
  return rows;
}
