import { AsyncLocalStorage } from 'node:async_hooks';
import {
  AppendError,
  type EntryFence,
  type LedgerEntry,
  type LedgerWriter,
  type NewRow,
  type Stored,
} from '../ledger/index.ts';
import { heldShared, insertMany, isRefused, runText, type Cell } from './dialect.ts';
import { ImageLog, type SeenShape } from './image-log.ts';
import { internNames, internShapes } from './intern.ts';
import { KnownUids } from './known-uids.ts';
import { readReviews } from './row-reader.ts';
import { ShapeIndex } from './shape-index.ts';
import { widenSpans } from './spans.ts';
import { storableText } from './storable.ts';
import type { Store } from './store.ts';
import { packUid } from './uid.ts';
import { Written } from './written.ts';

const ROW = {
  id: 'integer',
  at: 'integer',
  shape: 'integer',
  pod: 'text',
  pod_uid: 'blob',
  review_uid: 'blob',
  part: 'integer',
  requester: 'integer',
} as const;

type Executor = Parameters<typeof runText>[0];

/** Shapes, and names, that are remembered; beyond, they are forgotten and found again. */
const MAX_KNOWN = 20_000;

/** Entry is an entry to append, with its uid as it is stored. */
interface Entry {
  readonly uid: string | null;
  readonly packed: Buffer | null;
  /** The packed uid as a text of its bytes. */
  readonly key: string;
  readonly rows: readonly NewRow[];
  readonly fence: EntryFence | null;
}

/** Outcome is what a transaction gives: the answers, and what may be remembered once it is committed. */
interface Outcome {
  readonly answers: Stored[];
  readonly keep: () => void;
}

/** ledgerWriter appends rows to the ledger of a store, each call in a transaction of its own. */
export function ledgerWriter(store: Store): LedgerWriter {
  return new StoreWriter(store);
}

class StoreWriter implements LedgerWriter {
  readonly #store: Store;
  readonly #shapes = new ShapeIndex<SeenShape>();
  readonly #names = new Map<string, number>();
  readonly #images = new ImageLog();
  readonly #uids = new KnownUids();
  /** Never inside somebody else's transaction, whose end would come after the answer. */
  readonly #outside = AsyncLocalStorage.snapshot();

  /** What is remembered changes with each commit, so calls go one after another; the head's lock would make them anyway. */
  #turn: Promise<unknown>;

  constructor(store: Store) {
    this.#store = store;
    this.#turn = this.#uids.warm(store.read).catch(() => {}); // what cannot be read now is read with the first append
  }

  async appendAll(given: readonly LedgerEntry[]): Promise<readonly Stored[]> {
    // On SQLite it would wait for the end of that write, which waits for this.
    if (this.#store.isWriting())
      throw new TypeError(
        'ledger rows commit on their own: append them before or after a write, not inside it',
      );
    const done = this.#turn.then(() => this.#appendAlone(given.map(toEntry)));
    this.#turn = done.catch(() => {});
    return done;
  }

  async #appendAlone(entries: readonly Entry[]): Promise<readonly Stored[]> {
    try {
      const { answers, keep } = await this.#outside(() =>
        this.#store.write((transaction) => this.#append(transaction, entries)),
      );
      keep();
      return answers;
    } catch (error) {
      this.#images.forget();
      if (!isRefused(error)) throw error;
      throw new AppendError('invalid_request', 'the database can never hold the rows of the review', {
        cause: error,
      });
    }
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
    if (await this.#uids.catchUp(transaction, before)) this.#images.forget(); // another process appended
    const there = await this.#uids.find(transaction, entries);

    /** Where the rows of each entry begin among the rows to write; -1 for a repeat. */
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
    const shapes = await this.#shapesOf(transaction, rows);
    const names = await this.#namesOf(transaction, rows);
    const times = rows.map(({ at }) => at);
    const fresh = rows.length === most ? entries : entries.filter((_, i) => starts[i] !== -1);
    const cells = toCells(fresh, before, shapes.found, names.found);
    await insertMany(transaction, 'ledger_rows', ROW, cells);
    if (rows.length < most) {
      await runText(transaction, 'update ledger_head set size = ? where id = 1', [before + rows.length]);
    }
    if (rows.length > 0) await widenSpans(transaction, before + 1, times);
    const keepImages = await this.#images.write(transaction, shapes.found, times, before + 1);
    const keepUids = await this.#uids.add(transaction, added, before + rows.length);

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
      keepImages();
      keepUids();
    };
    return { answers, keep };
  }

  /** The shape of each row. */
  async #shapesOf(
    transaction: Executor,
    rows: readonly NewRow[],
  ): Promise<{ found: SeenShape[]; keep: () => void }> {
    const found: (SeenShape | undefined)[] = rows.map((row) => this.#shapes.find(row));
    if (!found.includes(undefined)) return { found: found as SeenShape[], keep: () => {} };
    const missing = rows.filter((_, i) => found[i] === undefined);
    const made = (await internShapes(transaction, missing)).map((shape) => this.#images.follow(shape));
    const byId = new Map(made.map((seen) => [seen.shape.id, seen]));
    let next = 0;
    const whole = found.map((seen) => seen ?? (byId.get((made[next++] as SeenShape).shape.id) as SeenShape));
    const keep = (): void => {
      if (this.#shapes.size > MAX_KNOWN) {
        this.#shapes.clear();
        this.#images.clear();
      }
      for (const seen of byId.values()) {
        // One that is not storable as it came is made anew each time, and found to be there.
        if (this.#shapes.find(seen.shape.row) === undefined) this.#shapes.add(seen.shape.row, seen);
      }
    };
    return { found: whole, keep };
  }

  /** The id of each requester. */
  async #namesOf(
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

/** Throws AppendError `conflict` when a leader of one of the entries leads no more; its fence stays until the commit otherwise. */
async function holdFences(transaction: Executor, entries: readonly Entry[]): Promise<void> {
  const fences = new Map<string, EntryFence>();
  for (const { fence } of entries) if (fence !== null) fences.set(`${fence.value} ${fence.name}`, fence);
  for (const { name, value } of fences.values()) {
    const stands = await runText(
      transaction,
      `select 1 as stands from fences where name = ? and value = ? ${heldShared(transaction)}`,
      [name, value],
    );
    if (stands.length === 0)
      throw new AppendError('conflict', 'another process leads now; this one appends nothing');
  }
}

function toEntry({ uid, rows, fence: given }: LedgerEntry): Entry {
  const fence = given ?? null;
  if (uid === null) return { uid, packed: null, key: '', rows, fence };
  const text = storableText(uid);
  const packed = packUid(text);
  return { uid: text, packed, key: packed.toString('latin1'), rows, fence };
}

function toCells(
  entries: readonly Entry[],
  before: number,
  shapes: readonly SeenShape[],
  names: ReadonlyMap<string, number>,
): Cell[][] {
  const cells: Cell[][] = [];
  for (const { packed, rows } of entries) {
    for (let part = 0; part < rows.length; part += 1) {
      const { at, pod = null, pod_uid = null, requester = null } = rows[part] as NewRow;
      cells.push([
        before + cells.length + 1,
        at,
        (shapes[cells.length] as SeenShape).shape.id,
        pod,
        pod_uid === null ? null : packUid(pod_uid),
        packed,
        part,
        requester === null ? null : (names.get(requester) as number),
      ]);
    }
  }
  return cells;
}
