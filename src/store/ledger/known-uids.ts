import { sql } from 'kysely';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hexOf, insertMany } from '../sql/dialect.ts';
import { inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { printOf, readPrints, UID_SEGMENT, UidPrints } from './uid-prints.ts';
import { readCells, run, type Executor, type Row } from '../sql/run.ts';

/** Rows that are read in one turn of the event loop, and under the lock: a millisecond or two. */
const ROWS = 512;
/** Fingerprints that are taken in one turn. */
const PRINTS = 8192;

/** FarBehind says that more rows were appended meanwhile than are read while everybody waits. */
class FarBehind extends Error {}

/**
 * KnownUids finds reviews that are in the ledger already, by the fingerprints of their uids. Those of full segments are stored; what is
 * missing or damaged there is made again from the rows. A ledger is read in turns of the event loop and outside any lock (`follow`);
 * under the lock of the ledger's head, so that what other processes appended is known before it matters, only the last few rows are.
 */
export class KnownUids {
  readonly #store: Pick<Store, 'read' | 'write'>;
  /** What is done here never belongs to a transaction of the caller. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #prints = new UidPrints();
  /** Rows up to this number are known. */
  #size = 0;
  /** Segments that are to be stored. */
  readonly #full = new Map<number, Buffer>();
  #following: Promise<void> | null = null;
  #hasFollowed = false;
  /** Rows that may be read under the lock. */
  #most = ROWS;

  constructor(store: Pick<Store, 'read' | 'write'>) {
    this.#store = store;
  }

  /** Whether the whole ledger was read once, so that an append has little to read. */
  get hasFollowed(): boolean {
    return this.#hasFollowed;
  }

  /** Learns of the rows that were appended so far, and stores segments that are full. Throws what the database throws. */
  follow(): Promise<void> {
    return (this.#following ??= this.#outside(() => this.#follow()).finally(() => {
      this.#following = null;
    }));
  }

  /** Runs an act that calls `catchUp`, and again where that found too many rows to read under the lock. */
  async following<T>(act: () => Promise<T>): Promise<T> {
    for (let most = ROWS; ; most *= 4) {
      this.#most = most; // others may append faster than this process reads
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof FarBehind)) throw error;
      }
      await this.follow();
    }
  }

  /** Learns of the rows up to `size` that were appended since; false when there were none. To be called in `following`. */
  async catchUp(transaction: Executor, size: number): Promise<boolean> {
    if (size === this.#size) return false;
    if (size < this.#size) this.#forget();
    if (size - this.#size > this.#most) throw new FarBehind();
    while (this.#size < size) await this.#learn(transaction, size);
    return true;
  }

  /** The first rows of those reviews that are there, by `key`: the packed uid as a text of its bytes. */
  async find(
    transaction: Executor,
    uids: readonly { readonly packed: Buffer | null; readonly key: string }[],
  ): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const suspects = new Set<number>();
    const asked = new Set<string>();
    for (const { id, key } of this.suspects(uids)) {
      suspects.add(id);
      asked.add(key);
    }
    for (const marks of inLists([...suspects])) {
      const rows = await run(
        transaction,
        sql<
          Row<'ledger_rows', 'id' | 'review_uid'>
        >`select id, review_uid from ledger_rows where part = 0 and id in (${marks})`,
      );
      for (const { id, review_uid } of rows) {
        const key = review_uid?.toString('latin1');
        if (key !== undefined && asked.has(key)) found.set(key, id);
      }
    }
    return found;
  }

  /** Rows up to this number are known. */
  get size(): number {
    return this.#size;
  }

  /** The rows that may be the first of one of these reviews, each with the uid that it would have, by `key`; few but for a repeat. */
  suspects(
    uids: readonly { readonly packed: Buffer | null; readonly key: string; readonly print?: number }[],
  ): readonly { readonly id: number; readonly key: string }[] {
    const found: { readonly id: number; readonly key: string }[] = [];
    for (const { packed, key, print } of uids) {
      if (packed === null) continue;
      for (const id of this.#prints.rows(print ?? printOf(packed))) found.push({ id, key });
    }
    return found;
  }

  /** Takes reviews that are committed by their fingerprints, with the numbers of their first rows; `before` and `size`: the rows before and since. */
  committed(before: number, firsts: Iterable<readonly [print: number, id: number]>, size: number): void {
    this.#take(before, firsts, size);
    if (this.#full.size > 0) void this.follow().catch(() => {}); // stored with the next one that succeeds
  }

  /** Gives what is to be called once the reviews `added`, with the numbers of their first rows, are committed. */
  async add(_transaction: Executor, added: ReadonlyMap<string, number>, size: number): Promise<() => void> {
    const before = this.#size;
    return () => {
      const firsts = [...added].map(([key, id]) => [printOf(Buffer.from(key, 'latin1')), id] as const);
      this.committed(before, firsts, size);
    };
  }

  async #follow(): Promise<void> {
    const [head] = await run(
      this.#store.read,
      sql<Row<'ledger_head', 'size'>>`select size from ledger_head where id = 1`,
    );
    const size = head?.size ?? 0;
    while (this.#size < size) {
      const segment = this.#size / UID_SEGMENT;
      const isWhole = Number.isInteger(segment) && this.#size + UID_SEGMENT <= size;
      if (!isWhole || !(await this.#load(segment))) await this.#learn(this.#store.read, size);
      await nextTurn();
    }
    this.#hasFollowed = true;
    for (const [segment, prints] of this.#full) {
      await this.#store.write((transaction) =>
        insertMany(
          transaction,
          'ledger_uids',
          { segment: 'integer', prints: 'blob' },
          [[segment, prints]],
          'on conflict (segment) do update set prints = excluded.prints',
        ),
      );
      this.#full.delete(segment);
    }
  }

  /** Takes the stored fingerprints of a segment; false where they are missing or damaged. */
  async #load(segment: number): Promise<boolean> {
    const [row] = await run(
      this.#store.read,
      sql<Row<'ledger_uids', 'prints'>>`select prints from ledger_uids where segment = ${segment}`,
    );
    const prints = row === undefined ? null : readPrints(row.prints, segment);
    if (prints === null) return false;
    const first = segment * UID_SEGMENT;
    for (let at = 0; at < UID_SEGMENT; at += PRINTS) {
      const part = prints.subarray(at, at + PRINTS);
      this.#take(first + at, entriesOf(part, first + at), first + at + part.length);
      await nextTurn();
    }
    this.#full.delete(segment); // it came from there
    return true;
  }

  /** Takes some of the next rows up to `size`, in the order of their numbers. */
  async #learn(read: Executor, size: number): Promise<void> {
    const before = this.#size;
    const to = Math.min(size, before + ROWS);
    const rows = (await readCells(
      read,
      sql`select id, ${hexOf(read, 'review_uid')} as uid from ledger_rows
       where id > ${before} and id <= ${to} and part = 0 and review_uid is not null order by id`,
    )) as readonly (readonly [id: number, uid: string])[];
    this.#take(
      before,
      rows.map(([id, uid]) => [printOf(Buffer.from(uid, 'hex')), id] as const),
      to,
    );
  }

  /**
   * Takes the first rows of reviews among those above `before` up to `to`. What is read in turns and what is appended meanwhile may come
   * twice, in any order; each row is taken once, and none before those that precede it.
   */
  #take(before: number, firsts: Iterable<readonly [print: number, id: number]>, to: number): void {
    if (before > this.#size) return;
    for (const [print, id] of firsts) {
      if (id <= this.#size) continue;
      this.#advance(id - 1);
      this.#prints.add(print, id);
    }
    this.#advance(to);
  }

  /** All rows up to `size` are known; what they fill is to be stored. */
  #advance(size: number): void {
    while (size > this.#size) {
      const segment = Math.floor(this.#size / UID_SEGMENT);
      this.#size = Math.min(size, (segment + 1) * UID_SEGMENT);
      if (this.#size % UID_SEGMENT === 0) this.#full.set(segment, this.#prints.seal(segment));
    }
  }

  /** The ledger is shorter than it was: an older database was put in its place. */
  #forget(): void {
    this.#prints = new UidPrints();
    this.#full.clear();
    this.#size = 0;
  }
}

function* entriesOf(
  prints: Uint32Array,
  before: number,
): Generator<readonly [print: number, id: number], void, undefined> {
  for (let i = 0; i < prints.length; i += 1) if (prints[i] !== 0) yield [prints[i] as number, before + i + 1];
}
