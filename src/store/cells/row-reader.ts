import { sql } from 'kysely';
import { formatTime } from '../../base/index.ts';
import { MAX_ENTRY_ROWS, type LedgerRow } from '../../ledger/index.ts';
import { inLists } from '../sql/marks.ts';
import { Shapes, type ShapeRow } from './shapes.ts';
import { unpackUid } from './uid.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** OWN_COLUMNS are what a row of the table called `r` has of its own. */
export const OWN_COLUMNS = sql`r.id, r.at, r.shape, r.pod, r.pod_uid, r.review_uid, r.requester`;

/** OwnRow is a row as the table holds it. */
export type OwnRow = Row<
  'ledger_rows',
  'id' | 'at' | 'shape' | 'pod' | 'pod_uid' | 'review_uid' | 'requester'
>;

/** Requesters that are remembered. */
const MAX_NAMES = 20_000;

/** RowReader makes whole rows of what the table holds, with a bounded memory of shapes and names. */
export class RowReader {
  readonly #read: Executor;
  readonly #shapes: Shapes;
  readonly #names = new Map<number, string>();

  constructor(read: Executor) {
    this.#read = read;
    this.#shapes = new Shapes(read);
  }

  /** The rows, every field present. */
  async whole(rows: readonly OwnRow[]): Promise<LedgerRow[]> {
    const shapes = await this.#shapes.load(new Set(rows.map(({ shape }) => shape)));
    await this.#loadNames(rows);
    return rows.map((row) => ({
      ...(shapes.get(row.shape) as ShapeRow),
      id: row.id,
      time: formatTime(row.at),
      review_uid: row.review_uid && unpackUid(row.review_uid),
      pod: row.pod,
      pod_uid: row.pod_uid && unpackUid(row.pod_uid),
      requester: row.requester === null ? null : (this.#names.get(row.requester) ?? null),
    }));
  }

  /** The rows with numbers from `first` to `last`, in either order. */
  async between(first: number, last: number, order: 'asc' | 'desc'): Promise<LedgerRow[]> {
    const rows = await run(
      this.#read,
      sql<OwnRow>`select ${OWN_COLUMNS} from ledger_rows r where id between ${first} and ${last} order by id ${order === 'asc' ? sql`asc` : sql`desc`}`,
    );
    return this.whole(rows);
  }

  async #loadNames(rows: readonly OwnRow[]): Promise<void> {
    const missing = new Set<number>();
    for (const { requester } of rows)
      if (requester !== null && !this.#names.has(requester)) missing.add(requester);
    if (missing.size === 0) return;
    if (this.#names.size > MAX_NAMES) {
      this.#names.clear();
      for (const { requester } of rows) if (requester !== null) missing.add(requester);
    }
    for (const marks of inLists([...missing])) {
      const found = await run(
        this.#read,
        sql<Row<'ledger_names', 'id' | 'name'>>`select id, name from ledger_names where id in (${marks})`,
      );
      for (const { id, name } of found) this.#names.set(id, name);
    }
  }
}

/** AskedReview is a review to read: the number of its first row, and how many rows it has as far as is known. */
export interface AskedReview {
  readonly first: number;
  readonly rows: number;
}

/**
 * readReviews gives the rows of reviews by the number of their first, which stand one after another from there. All are read together:
 * an append reads those that come again while every other replica waits for it.
 */
export async function readReviews(
  transaction: Executor,
  asked: readonly AskedReview[],
): Promise<Map<number, readonly LedgerRow[]>> {
  const ids = new Set(
    asked.flatMap(({ first, rows }) => Array.from({ length: rows + 1 }, (_, i) => first + i)),
  );
  const own = new Map<number, OwnRow>();
  for (const marks of inLists([...ids])) {
    const found = await run(
      transaction,
      sql<OwnRow>`select ${OWN_COLUMNS} from ledger_rows r where id in (${marks})`,
    );
    for (const row of found) own.set(row.id, row);
  }
  const reviews = new Map<number, readonly OwnRow[]>();
  for (const { first, rows } of asked) {
    const uid = own.get(first)?.review_uid;
    const review: OwnRow[] = [];
    for (let row = own.get(first); row !== undefined && isOf(row, uid); row = own.get(row.id + 1))
      review.push(row);
    // What it was asked with is shorter than what is there.
    reviews.set(first, review.length > rows ? await readWhole(transaction, first) : review);
  }
  const whole = await new RowReader(transaction).whole([...reviews.values()].flat());
  const byId = new Map(whole.map((row) => [row.id, row]));
  return new Map(
    [...reviews].map(([first, review]) => [first, review.map(({ id }) => byId.get(id) as LedgerRow)]),
  );
}

function isOf({ review_uid }: OwnRow, uid: Buffer | null | undefined): boolean {
  return review_uid !== null && uid !== null && uid !== undefined && review_uid.equals(uid);
}

async function readWhole(transaction: Executor, first: number): Promise<readonly OwnRow[]> {
  return run(
    transaction,
    sql<OwnRow>`select ${OWN_COLUMNS} from ledger_rows r where id >= ${first} and id < ${first + MAX_ENTRY_ROWS} and review_uid =
      (select review_uid from ledger_rows where id = ${first}) order by id`,
  );
}
