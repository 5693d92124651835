import { sql, type RawBuilder } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerFilter, LedgerRow } from '../../ledger/index.ts';
import { toStretches, type Stretch } from './stretches.ts';
import { OWN_COLUMNS, type OwnRow, type RowReader } from '../cells/row-reader.ts';
import { rowsWithin, SPAN_ROWS, unevenSpans } from './spans.ts';
import type { Store } from '../sql/store.ts';
import { run } from '../sql/run.ts';

/** Rows that one statement counts: few enough that a synchronous engine lets the process answer others in between. */
const SLICE = 8 * SPAN_ROWS;
/** Rows that one statement reads. */
const READ = 1024;
/** Filters whose counts are remembered, and slices of them all together. */
const MAX_FILTERS = 32;

/**
 * Counts remembers how many rows of a whole slice a filter chooses, whatever their time. Rows and shapes never change, so that stays true
 * for ever, and turning pages does not count again.
 */
export class Counts {
  readonly #byFilter = new Map<string, Map<number, number>>();

  of(filter: string): Map<number, number> {
    const known = this.#byFilter.get(filter) ?? new Map<number, number>();
    this.#byFilter.delete(filter);
    this.#byFilter.set(filter, known);
    if (this.#byFilter.size > MAX_FILTERS) {
      const [oldest = ''] = this.#byFilter.keys();
      this.#byFilter.delete(oldest);
    }
    return known;
  }
}

type Condition = RawBuilder<unknown>;

/**
 * listRows gives the rows that a filter chooses, newest first, and how many there are in all. Of a period, spans that lie in it whole are
 * known by their ends: only those at its edges, and those with rows of a clock that was set back, are looked into.
 */
export async function listRows(
  store: Store,
  reader: RowReader,
  counts: Counts,
  filter: LedgerFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly items: readonly LedgerRow[]; readonly total: number }> {
  const { from = null, to = null, ...rest } = filter;
  const range = await rowsWithin(store, from, to);
  // An asked time may be finer than a millisecond, which a column of integers on PostgreSQL refuses.
  const [start, end] = [from && Math.ceil(from), to && Math.floor(to)];
  const shape = shapeCondition(rest);
  const times = timeCondition(start, end);
  const uneven = times === null ? [] : await unevenSpans(store, range, start, end);
  const known =
    shape === null
      ? new Map<number, number>()
      : counts.of(JSON.stringify(Object.entries(rest).filter(([, value]) => value !== undefined)));
  const items: LedgerRow[] = [];
  let total = 0;
  for (const stretch of toStretches(range, uneven, shape === null ? Infinity : SLICE)) {
    const condition = both(shape, stretch.whole ? null : times);
    const count = await countOf(store, stretch, condition, known);
    const wanted = Math.min(limit - items.length, total + count - offset);
    if (wanted > 0) {
      const skip = Math.max(0, offset - total);
      for await (const rows of readStretch(store, stretch, condition, skip, wanted))
        items.push(...(await reader.whole(rows)));
    }
    total += count;
  }
  return { items, total };
}

async function countOf(
  store: Store,
  { first, last, whole }: Stretch,
  condition: Condition | null,
  known: Map<number, number>,
): Promise<number> {
  if (condition === null) return last - first + 1;
  // Only what no time was asked of stays true, and only of a slice that is full.
  const slice = whole && last % SLICE === 0 && last - first + 1 === SLICE ? last / SLICE : null;
  const remembered = slice === null ? undefined : known.get(slice);
  if (remembered !== undefined) return remembered;
  const [found] = await run(
    store.read,
    sql<{ count: number }>`select count(*) as count from ledger_rows r join ledger_shapes s on s.id = r.shape
      where r.id between ${first} and ${last} and ${condition}`,
  );
  const count = found?.count ?? 0;
  if (slice !== null) known.set(slice, count);
  await nextTurn();
  return count;
}

/** Reads rows of a stretch, newest first, some of them at a time. */
async function* readStretch(
  store: Store,
  { first, last }: Stretch,
  condition: Condition | null,
  skip: number,
  wanted: number,
): AsyncGenerator<readonly OwnRow[], void, undefined> {
  if (condition === null) {
    const newest = last - skip;
    const oldest = Math.max(first, newest - wanted + 1);
    for (let end = newest; end >= oldest; end -= READ) {
      if (end < newest) await nextTurn();
      yield await run(
        store.read,
        sql<OwnRow>`select ${OWN_COLUMNS} from ledger_rows r where id between ${Math.max(oldest, end - READ + 1)} and ${end} order by id desc`,
      );
    }
    return;
  }
  let [end, left, offset] = [last, wanted, skip];
  while (left > 0) {
    if (left < wanted) await nextTurn();
    const rows: OwnRow[] = await run(
      store.read,
      sql<OwnRow>`select ${OWN_COLUMNS} from ledger_rows r join ledger_shapes s on s.id = r.shape
        where r.id between ${first} and ${end} and ${condition} order by r.id desc limit ${Math.min(left, READ)} offset ${offset}`,
    );
    const oldest = rows.at(-1);
    if (oldest === undefined) return;
    yield rows;
    [end, left, offset] = [oldest.id - 1, left - rows.length, 0];
  }
}

function shapeCondition(filter: Omit<LedgerFilter, 'from' | 'to'>): Condition | null {
  const parts: Condition[] = [];
  for (const column of ['namespace', 'cluster', 'label', 'policy'] as const) {
    const value = filter[column];
    if (value !== undefined) parts.push(sql`${sql.ref(`s.${column}`)} = ${value}`);
  }
  if (filter.digest !== undefined)
    // As digestOfRow reads a row: one without a digest takes that of its reference.
    parts.push(
      sql`(s.digest = ${filter.digest} or (s.digest is null and s.image like ${`%@${escaped(filter.digest)}`} escape '!'))`,
    );
  if (filter.image !== undefined)
    parts.push(sql`lower(s.image) like ${`%${escaped(filter.image.toLowerCase())}%`} escape '!'`);
  if (filter.refused !== undefined) parts.push(sql`s.allowed = ${filter.refused ? 0 : 1}`);
  if (filter.breakGlass !== undefined) parts.push(sql`s.break_glass = ${filter.breakGlass ? 1 : 0}`);
  return both(...parts);
}

/** A text in which nothing stands for other letters in `like … escape '!'`. */
function escaped(text: string): string {
  return text.replaceAll(/[!%_]/g, '!$&');
}

function timeCondition(from: number | null, to: number | null): Condition | null {
  return both(from === null ? null : sql`r.at >= ${from}`, to === null ? null : sql`r.at <= ${to}`);
}

/** All of them that are there; null for none. */
function both(...conditions: readonly (Condition | null)[]): Condition | null {
  const parts = conditions.filter((condition) => condition !== null);
  return parts.length === 0 ? null : sql.join(parts, sql` and `);
}
