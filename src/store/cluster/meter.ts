import { sql } from 'kysely';
import { parseReference } from '../../image/index.ts';
import { monthEnd, monthOf, monthStart, type MeterStore } from '../../nodes/index.ts';
import { insertMany } from '../sql/dialect.ts';
import { moveMark } from '../ledger/mark.ts';
import { Shapes, type ShapeRow } from '../cells/shapes.ts';
import { rowsWithin, sizeOf } from '../ledger/spans.ts';
import type { Store } from '../sql/store.ts';
import { readCells, run, type Executor, type Row } from '../sql/run.ts';

/** Up to which ledger row the meter follows. */
const MARK = 'meter_upto';

/** Admission is the first time that an image name was admitted in a month. */
interface Admission {
  readonly cluster: string;
  readonly month: string;
  readonly name: string;
  readonly at: number;
}

/** meterStore keeps the meter in a database, and takes it from the ledger there. */
export function meterStore(store: Store): MeterStore {
  const shapes = new Shapes(store.read);
  return {
    async names(cluster, month) {
      const rows = await readCells(
        store.read,
        sql`select name from meter where cluster = ${cluster} and month = ${month}`,
      );
      return new Set(rows.map(([name]) => name as string));
    },
    async follow(rows, at) {
      const size = await sizeOf(store);
      const mark = await readMark(store.read);
      // Months before the first one that was followed are not counted after the fact.
      const from = mark ?? (await beforeMonth(store, at, size));
      if (mark !== null && from >= size) return false;
      const upto = Math.min(size, from + rows);
      const admissions = await readAdmissions(store.read, shapes, from, upto);
      await store.write(async (transaction) => {
        if (!(await moveMark(transaction, MARK, mark, upto))) return; // another replica was quicker
        await insertMany(
          transaction,
          'meter',
          { cluster: 'text', month: 'text', name: 'text', first_admitted_at: 'integer' },
          admissions.map(({ cluster, month, name, at: first }) => [cluster, month, name, first]),
          'on conflict (cluster, month, name) do nothing',
        );
      });
      return upto < size;
    },
  };
}

/** The last row before the month of a time. */
async function beforeMonth(store: Store, at: number, size: number): Promise<number> {
  const { first, last } = await rowsWithin(store, monthStart(at), null);
  return last < first ? size : first - 1;
}

/** Distinct image names admitted in the month; refused, ephemeral and break-glass ones are not counted. */
function counts(shape: ShapeRow): boolean {
  return (
    shape.kind === 'review' &&
    shape.allowed &&
    shape.review_allowed === true &&
    shape.break_glass !== true &&
    shape.subresource === null &&
    shape.image !== null
  );
}

async function readAdmissions(
  read: Store['read'],
  shapes: Shapes,
  from: number,
  upto: number,
): Promise<Admission[]> {
  const rows = (await readCells(
    read,
    sql`select at, shape from ledger_rows where id > ${from} and id <= ${upto} order by id`,
  )) as readonly (readonly [at: number, shape: number])[];
  const known = await shapes.load(new Set(rows.map(([, shape]) => shape)));
  const names = new Map<number, { cluster: string; name: string } | null>();
  for (const [id, shape] of known) {
    const name = counts(shape) ? nameOf(shape.image ?? '') : null;
    names.set(id, name === null ? null : { cluster: shape.cluster ?? '', name });
  }
  const found = new Map<string, Admission>();
  let month = '';
  let start = 0;
  let end = 0;
  for (const [at, shape] of rows) {
    const named = names.get(shape) ?? null;
    if (named === null) continue;
    if (at < start || at >= end) {
      month = monthOf(at);
      start = monthStart(at);
      end = monthEnd(at);
    }
    const { cluster, name } = named;
    const key = `${month} ${name} ${cluster}`;
    if (!found.has(key)) found.set(key, { cluster, month, name, at });
  }
  return [...found.values()];
}

function nameOf(image: string): string | null {
  const reference = parseReference(image);
  return 'fault' in reference ? null : reference.name;
}

async function readMark(read: Executor): Promise<number | null> {
  const [row] = await run(
    read,
    sql<Row<'settings', 'value'>>`select value from settings where key = ${sql.lit(MARK)}`,
  );
  return row === undefined ? null : Number(row.value);
}
