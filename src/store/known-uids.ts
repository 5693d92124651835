import { setImmediate as nextTurn } from 'node:timers/promises';
import { insertMany, runText } from './dialect.ts';
import { inChunks } from './marks.ts';
import { sketchOf, UID_SEGMENT, UidFilter, UidFilters, type UidSketch } from './uid-filter.ts';

type Executor = Parameters<typeof runText>[0];

/** Filters that are read by one statement. */
const FILTERS = 4;
/** Rows that are read by one statement. */
const ROWS = 16_384;

/**
 * KnownUids finds reviews that are in the ledger already: those of the newest rows in memory, older ones by the filters of their
 * segments, which are stored when a segment is full. Everything is done under the lock of the ledger's head, so that what other
 * processes appended is known before it matters.
 */
export class KnownUids {
  readonly #filters = new UidFilters();
  /** First rows of the reviews behind the last filter, by packed uid. */
  #recent = new Map<string, number>();
  /** The segment that these are of. */
  #segment = 0;
  /** Rows up to this number are known. */
  #size = 0;

  /** Reads the filters that are stored, a few at a time, so that the first append of a long ledger need not. */
  async warm(read: Executor): Promise<void> {
    for (let before = -1; before < this.#filters.count;) {
      before = this.#filters.count;
      for (const bytes of await readFilters(read, before, before + FILTERS - 1)) {
        if (bytes !== undefined) this.#filters.push(bytes);
        else return; // one that is missing is made under the lock
      }
      await nextTurn();
    }
  }

  /** Learns of the rows up to `size` that were appended since; false when there were none. */
  async catchUp(transaction: Executor, size: number): Promise<boolean> {
    if (size === this.#size) return false;
    if (size < Math.max(this.#size, this.#filters.count * UID_SEGMENT)) this.#forget();
    await this.#loadFilters(transaction, Math.floor(size / UID_SEGMENT));
    this.#follow();
    const from = Math.max(this.#size, this.#filters.count * UID_SEGMENT);
    for await (const [uid, id] of firstRows(transaction, from, size)) this.#remember(uid, id);
    this.#size = size;
    return true;
  }

  /** The first rows of those reviews that are there, by `key`: the packed uid as a text of its bytes. */
  async find(
    transaction: Executor,
    uids: readonly { readonly packed: Buffer | null; readonly key: string }[],
  ): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const suspects = new Map<number, Buffer[]>();
    for (const { packed, key } of uids) {
      if (packed === null) continue;
      const id = this.#recent.get(key);
      if (id !== undefined) found.set(key, id);
      else {
        for (const segment of this.#filters.suspects(sketchOf(packed))) {
          suspects.set(segment, [...(suspects.get(segment) ?? []), packed]);
        }
      }
    }
    for (const [segment, packed] of suspects) {
      for (const { marks, cells } of inChunks(packed)) {
        const rows = await runText<{ id: number; review_uid: Buffer }>(
          transaction,
          `select id, review_uid from ledger_rows where id > ? and id <= ? and part = 0 and review_uid in (${marks})`,
          [segment * UID_SEGMENT, (segment + 1) * UID_SEGMENT, ...cells],
        );
        for (const { id, review_uid } of rows) found.set(review_uid.toString('latin1'), id);
      }
    }
    return found;
  }

  /** Stores the filters of segments that `added` fills up to `size`; what it gives is to be called after the commit. */
  async add(transaction: Executor, added: ReadonlyMap<string, number>, size: number): Promise<() => void> {
    const first = this.#filters.count;
    for (let segment = first; (segment + 1) * UID_SEGMENT <= size; segment += 1) {
      const own = sketchesOf(added, segment);
      const filter = segment === first ? this.#filters.filled(own) : UidFilter.of(own);
      await storeFilter(transaction, segment, filter);
    }
    return () => {
      // In the order of their numbers, so that each stands in the filter of its segment.
      for (const [uid, id] of added) {
        while (id > (this.#filters.count + 1) * UID_SEGMENT) this.#seal();
        this.#remember(uid, id);
      }
      while ((this.#filters.count + 1) * UID_SEGMENT <= size) this.#seal();
      this.#size = size;
    };
  }

  #remember(uid: string, id: number): void {
    this.#recent.set(uid, id);
    this.#filters.fill(sketchOf(Buffer.from(uid, 'latin1')));
  }

  #seal(): void {
    this.#filters.seal();
    this.#follow();
  }

  /** Rows of a segment that is full are found by its filter. */
  #follow(): void {
    if (this.#segment === this.#filters.count) return;
    this.#segment = this.#filters.count;
    this.#recent = new Map();
  }

  /** The ledger is shorter than it was: an older database was put in its place. */
  #forget(): void {
    this.#filters.clear();
    this.#recent.clear();
    this.#segment = 0;
    this.#size = 0;
  }

  async #loadFilters(transaction: Executor, count: number): Promise<void> {
    while (this.#filters.count < count) {
      const first = this.#filters.count;
      const last = Math.min(count, first + FILTERS) - 1;
      const stored = await readFilters(transaction, first, last);
      for (let segment = first; segment <= last; segment += 1) {
        const bytes = stored[segment - first] ?? (await makeFilter(transaction, segment)).bytes;
        this.#filters.push(bytes);
      }
    }
  }
}

/** The stored filters of some segments, each in its place; undefined where there is none. */
async function readFilters(read: Executor, first: number, last: number): Promise<(Buffer | undefined)[]> {
  const stored = await runText<{ segment: number; filter: Buffer }>(
    read,
    'select segment, filter from ledger_uids where segment between ? and ? order by segment',
    [first, last],
  );
  const found: (Buffer | undefined)[] = [];
  for (const { segment, filter } of stored) found[segment - first] = filter;
  return found;
}

/** Makes the filter of rows that came in without one, by a migration of an older ledger. */
async function makeFilter(transaction: Executor, segment: number): Promise<UidFilter> {
  const filter = new UidFilter();
  for await (const [uid] of firstRows(transaction, segment * UID_SEGMENT, (segment + 1) * UID_SEGMENT)) {
    filter.add(sketchOf(Buffer.from(uid, 'latin1')));
  }
  await storeFilter(transaction, segment, filter);
  return filter;
}

/** Sketches of those whose first row is in a segment. */
function* sketchesOf(
  added: ReadonlyMap<string, number>,
  segment: number,
): Generator<UidSketch, void, undefined> {
  for (const [uid, id] of added)
    if (Math.floor((id - 1) / UID_SEGMENT) === segment) yield sketchOf(Buffer.from(uid, 'latin1'));
}

async function storeFilter(transaction: Executor, segment: number, filter: UidFilter): Promise<void> {
  await insertMany(transaction, 'ledger_uids', { segment: 'integer', filter: 'blob' }, [
    [segment, filter.bytes],
  ]);
}

/** The first row of each review among the rows above `from` up to `to`. */
async function* firstRows(
  transaction: Executor,
  from: number,
  to: number,
): AsyncGenerator<readonly [uid: string, id: number], void, undefined> {
  for (let after = from; after < to; after += ROWS) {
    const rows = await runText<{ id: number; review_uid: Buffer }>(
      transaction,
      'select id, review_uid from ledger_rows where id > ? and id <= ? and part = 0 and review_uid is not null',
      [after, Math.min(to, after + ROWS)],
    );
    for (const { id, review_uid } of rows) yield [review_uid.toString('latin1'), id];
  }
}
