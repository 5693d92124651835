import type { Fence } from '../../leadership/index.ts';
import type { LedgerEntry, NewRow } from '../../ledger/index.ts';
import type { Cell } from '../sql/dialect.ts';
import type { SeenShape } from '../engine/image-log.ts';
import type { SqliteConnection } from '../sql/sqlite-connection.ts';
import { storableText } from '../sql/storable.ts';
import { printOf } from './uid-prints.ts';
import { packUid } from '../cells/uid.ts';

/** ROW are the columns of `ledger_rows` in the order of the cells that `toCells` makes. */
export const ROW = {
  id: 'integer',
  at: 'integer',
  shape: 'integer',
  pod: 'text',
  pod_uid: 'blob',
  review_uid: 'blob',
  part: 'integer',
  requester: 'integer',
} as const;

/** Entry is an entry to append, with its uid as it is stored. */
export interface Entry {
  readonly uid: string | null;
  readonly packed: Buffer | null;
  /** The packed uid as a text of its bytes. */
  readonly key: string;
  /** Its fingerprint; 0 without one. */
  readonly print: number;
  readonly rows: readonly NewRow[];
  readonly fence: Fence | null;
}

/** toEntry prepares what is to be appended. */
export function toEntry({ uid, rows, fence: given }: LedgerEntry): Entry {
  const fence = given ?? null;
  if (uid === null) return { uid, packed: null, key: '', print: 0, rows, fence };
  const text = storableText(uid);
  const packed = packUid(text);
  return { uid: text, packed, key: packed.toString('latin1'), print: printOf(packed), rows, fence };
}

/** toCells gives the cells of the rows of entries, row by row, which are numbered from the one behind `before`; one list of all. */
export function toCells(
  entries: readonly Entry[],
  before: number,
  shapes: readonly SeenShape[],
  names: ReadonlyMap<string, number>,
): Cell[] {
  const cells: Cell[] = [];
  let row = 0;
  for (const { packed, rows } of entries) {
    for (let part = 0; part < rows.length; part += 1) {
      const { at, pod = null, pod_uid = null, requester = null } = rows[part] as NewRow;
      const shape = (shapes[row] as SeenShape).shape.id;
      row += 1;
      cells.push(
        before + row,
        at,
        shape,
        pod === null ? null : storableText(pod),
        pod_uid === null ? null : packUid(pod_uid),
        packed,
        part,
        requester === null ? null : (names.get(requester) as number),
      );
    }
  }
  return cells;
}

const COLUMNS = Object.keys(ROW);
/** Rows of one statement: half the time of one each. */
const AT_ONCE = 16;
const ONE = insertOf(1);
const MANY = insertOf(AT_ONCE);

/** writeCells inserts rows that `toCells` made into `ledger_rows`, on SQLite. */
export function writeCells(sqlite: SqliteConnection, cells: readonly Cell[]): void {
  const many = COLUMNS.length * AT_ONCE;
  let at = 0;
  for (; at + many <= cells.length; at += many) sqlite.run(MANY, cells.slice(at, at + many));
  for (; at < cells.length; at += COLUMNS.length) sqlite.run(ONE, cells.slice(at, at + COLUMNS.length));
}

function insertOf(rows: number): string {
  const marks = `(${COLUMNS.map(() => '?').join(', ')})`;
  return `insert into ledger_rows (${COLUMNS.join(', ')}) values ${Array(rows).fill(marks).join(', ')}`;
}
