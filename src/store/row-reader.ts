import { formatTime } from '../base/index.ts';
import { MAX_ENTRY_ROWS, type LedgerRow } from '../ledger/index.ts';
import { runText } from './dialect.ts';
import { inChunks } from './marks.ts';
import { Shapes, type ShapeRow } from './shapes.ts';
import { unpackUid } from './uid.ts';

/** OWN_COLUMNS are what a row has of its own. */
export const OWN_COLUMNS = 'id, at, shape, pod, pod_uid, review_uid, requester';

/** OwnRow is a row as the table holds it. */
export interface OwnRow {
  readonly id: number;
  readonly at: number;
  readonly shape: number;
  readonly pod: string | null;
  readonly pod_uid: Buffer | null;
  readonly review_uid: Buffer | null;
  readonly requester: number | null;
}

type Executor = Parameters<typeof runText>[0];

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
    const rows = await runText<OwnRow>(
      this.#read,
      `select ${OWN_COLUMNS} from ledger_rows where id between ? and ? order by id ${order}`,
      [first, last],
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
    for (const { marks, cells } of inChunks([...missing])) {
      const found = await runText<{ id: number; name: string }>(
        this.#read,
        `select id, name from ledger_names where id in (${marks})`,
        cells,
      );
      for (const { id, name } of found) this.#names.set(id, name);
    }
  }
}

/** readReview gives the rows of one review, which stand one after another from the first. */
export async function readReview(transaction: Executor, first: number): Promise<readonly LedgerRow[]> {
  const rows = await runText<OwnRow>(
    transaction,
    `select ${OWN_COLUMNS} from ledger_rows where id >= ? and id < ? and review_uid =
      (select review_uid from ledger_rows where id = ?) order by id`,
    [first, first + MAX_ENTRY_ROWS, first],
  );
  return new RowReader(transaction).whole(rows);
}
