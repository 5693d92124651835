import type { NewRow, Stored } from '../../ledger/index.ts';
import { toCells, type Entry } from './append-entry.ts';
import type { Cell, Insert, runText } from '../sql/dialect.ts';
import { ImageLog, type SeenShape } from '../engine/image-log.ts';
import { internNames, internShapes, internShapesNow, type Interned } from '../cells/intern.ts';
import { KnownUids } from './known-uids.ts';
import { NoUids, type UidMemory } from './no-uids.ts';
import { ShapeIndex } from '../cells/shape-index.ts';
import type { SqliteConnection } from '../sql/sqlite-connection.ts';
import { storableText } from '../sql/storable.ts';
import type { Store } from '../sql/store.ts';
import { Written } from '../engine/written.ts';

type Executor = Parameters<typeof runText>[0];

/** Shapes, and names, that are remembered; beyond, they are forgotten and found again. */
const MAX_KNOWN = 20_000;

/** Plan is an append of which nothing is to be found out any more. */
export interface Plan {
  /** How many rows the ledger has, and will have. */
  readonly before: number;
  readonly size: number;
  /** Rows that may be the first of one of the reviews. */
  readonly suspects: ReturnType<KnownUids['suspects']>;
  readonly cells: Cell[];
  readonly inserts: readonly Insert[];
  readonly answers: readonly Stored[];
  readonly keep: () => void;
}

/** AppendMemory is what appends remember: the shapes and names that were interned, what was written of images, and which reviews are there. */
export class AppendMemory {
  readonly images = new ImageLog();
  readonly uids: UidMemory;
  readonly #shapes = new ShapeIndex<SeenShape>();
  readonly #names = new Map<string, number>();

  constructor(store: Store, reviews: boolean) {
    this.uids = reviews ? new KnownUids(store) : new NoUids();
  }

  /**
   * What an append writes of which memory knows everything but shapes, which a connection inside the transaction finds or makes; without
   * one, `shapes` says that there are such. Null where something else is to be found out.
   */
  planNow(entries: readonly Entry[], sqlite: SqliteConnection | null): Plan | 'shapes' | null {
    const before = this.uids.size;
    const suspects = this.uids.suspects(entries);
    const keys = new Set<string>();
    const firsts: (readonly [print: number, id: number])[] = [];
    const known: (SeenShape | undefined)[] = [];
    const missing: NewRow[] = [];
    const times: number[] = [];
    for (const { key, packed, print, rows, fence } of entries) {
      if (fence !== null) return null;
      if (packed !== null) {
        if (keys.has(key)) return null;
        if (entries.length > 1) keys.add(key);
        firsts.push([print, before + times.length + 1]);
      }
      for (const row of rows) {
        const shape = this.#shapes.find(row);
        const { requester = null } = row;
        if (requester !== null && !this.#names.has(requester)) return null;
        if (shape === undefined) missing.push(row);
        known.push(shape);
        times.push(row.at);
      }
    }
    const size = before + times.length;
    if (missing.length > 0 && sqlite === null) return 'shapes';
    const { found: shapes, keep: keepShapes } =
      sqlite === null || missing.length === 0
        ? { found: known as SeenShape[], keep: null }
        : this.#withMade(known, internShapesNow(sqlite, missing));
    const images = this.images.plan(shapes, times, before + 1);
    const answers: Stored[] = [];
    let at = 0;
    for (const { uid, rows } of entries) {
      answers.push(new Written(uid, rows, before + at + 1, shapes.slice(at, at + rows.length), false));
      at += rows.length;
    }
    const keep = (): void => {
      keepShapes?.();
      images.keep();
      this.uids.committed(before, firsts, size);
    };
    const cells = toCells(entries, before, shapes, this.#names);
    return { before, size, suspects, cells, inserts: images.inserts, answers, keep };
  }

  /** The shape of each row. */
  async shapesOf(
    transaction: Executor,
    rows: readonly NewRow[],
  ): Promise<{ found: SeenShape[]; keep: () => void }> {
    const found: (SeenShape | undefined)[] = rows.map((row) => this.#shapes.find(row));
    if (!found.includes(undefined)) return { found: found as SeenShape[], keep: () => {} };
    const missing = rows.filter((_, i) => found[i] === undefined);
    return this.#withMade(found, await internShapes(transaction, missing));
  }

  /** What was found, and in its gaps, in their order, what was made. */
  #withMade(
    found: readonly (SeenShape | undefined)[],
    interned: readonly Interned[],
  ): { found: SeenShape[]; keep: () => void } {
    const made = interned.map((shape) => this.images.follow(shape));
    const byId = new Map(made.map((seen) => [seen.shape.id, seen]));
    let next = 0;
    const whole = found.map((seen) => seen ?? (byId.get((made[next++] as SeenShape).shape.id) as SeenShape));
    const keep = (): void => {
      if (this.#shapes.size > MAX_KNOWN) {
        this.#shapes.clear();
        this.images.clear();
      }
      for (const seen of byId.values()) {
        // One that is not storable as it came is rebuilt each time, and found to be there.
        if (this.#shapes.find(seen.shape.row) === undefined) this.#shapes.add(seen.shape.row, seen);
      }
    };
    return { found: whole, keep };
  }

  /** The id of each requester. */
  async namesOf(
    transaction: Executor,
    rows: readonly NewRow[],
  ): Promise<{ found: ReadonlyMap<string, number>; keep: () => void }> {
    const missing = new Set<string>();
    let last: string | null | undefined = null;
    for (const { requester } of rows) {
      if (requester === last) continue; // one controller makes most pods
      last = requester;
      if (requester !== null && requester !== undefined && !this.#names.has(requester))
        missing.add(requester);
    }
    if (missing.size === 0) return { found: this.#names, keep: () => {} };
    const storable = new Map([...missing].map((name) => [name, storableText(name)]));
    const ids = await internNames(transaction, new Set(storable.values()));
    const made = [...storable].map(([name, text]) => [name, ids.get(text) as number] as const);
    const keep = (): void => {
      if (this.#names.size > MAX_KNOWN) this.#names.clear();
      for (const [name, id] of made) this.#names.set(name, id);
    };
    return { found: new Map([...this.#names, ...made]), keep };
  }
}
