import { sql, type RawBuilder } from 'kysely';
import type { RowRange } from '../../ledger/index.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** SPAN_ROWS is how many rows one line of `ledger_spans` tells the times of. */
export const SPAN_ROWS = 4096;

/** spanOf gives the span that a row belongs to. */
export function spanOf(id: number): number {
  return Math.floor((id - 1) / SPAN_ROWS);
}

/**
 * What writes the times of spans that have become full; of others nothing is kept, so that an append need not write a page for them.
 * Cells: `fullSpans`.
 */
export const FILL_SPANS = `insert into ledger_spans (span, min_at, max_at)
  select (id - 1) / ${SPAN_ROWS}, min(at), max(at) from ledger_rows where id > ? and id <= ? group by (id - 1) / ${SPAN_ROWS}
  on conflict (span) do update set min_at = excluded.min_at, max_at = excluded.max_at`;

/** fullSpans gives the rows of spans that are full once a ledger of `before` rows has `size`, by what `FILL_SPANS` asks; null for none. */
export function fullSpans(before: number, size: number): [after: number, upto: number] | null {
  const [from, to] = [before, size].map((rows) => rows - (rows % SPAN_ROWS)) as [number, number];
  return to > from ? [from, to] : null;
}

/** spannedRows gives how many rows, the first of the ledger, stand in full spans; what `ledger_spans` says of later ones does not count. */
export async function spannedRows(store: Store): Promise<number> {
  const size = await sizeOf(store);
  return size - (size % SPAN_ROWS);
}

/**
 * rowsWithin gives the range of ids, no wider than it must be, that holds every row of a closed period of time. Rows are
 * ordered by number, so where a clock was set back some rows inside lie outside the period. Its ends may be finer than the
 * whole milliseconds of rows.
 */
export async function rowsWithin(store: Store, from: number | null, to: number | null): Promise<RowRange> {
  const first = from === null ? 1 : await firstSince(store, Math.ceil(from));
  const last = to === null ? await sizeOf(store) : await lastUntil(store, Math.floor(to));
  return first === null || last === null ? { first: 1, last: 0 } : { first, last };
}

/**
 * unevenSpans gives the spans of a range that have rows outside of a closed period of whole milliseconds, and those that may have since they
 * are not full; ascending.
 */
export async function unevenSpans(
  store: Store,
  { first, last }: RowRange,
  from: number | null,
  to: number | null,
): Promise<number[]> {
  if (first > last) return [];
  const open = spanOf((await spannedRows(store)) + 1);
  const found = await run(
    store.read,
    sql<
      Row<'ledger_spans', 'span'>
    >`select span from ledger_spans where span between ${spanOf(first)} and ${Math.min(open - 1, spanOf(last))} and (min_at < ${from ?? Number.MIN_SAFE_INTEGER} or max_at > ${to ?? Number.MAX_SAFE_INTEGER}) order by span`,
  );
  const uneven = found.map(({ span }) => span);
  for (let span = Math.max(open, spanOf(first)); span <= spanOf(last); span += 1) uneven.push(span);
  return uneven;
}

/** sizeOf gives how many rows the ledger has. */
export async function sizeOf(store: Store): Promise<number> {
  const [head] = await run(
    store.read,
    sql<Row<'ledger_head', 'size'>>`select size from ledger_head where id = 1`,
  );
  return head?.size ?? 0;
}

/** The first row of a time or later. */
async function firstSince(store: Store, at: number): Promise<number | null> {
  const spanned = await spannedRows(store);
  const span = await numberOf(
    store,
    sql<{
      number: number;
    }>`select span as number from ledger_spans where span < ${spanned / SPAN_ROWS} and max_at >= ${at} order by span limit 1`,
  );
  return numberOf(
    store,
    sql<{
      number: number;
    }>`select id as number from ledger_rows where id > ${span === null ? spanned : span * SPAN_ROWS} and at >= ${at} order by id limit 1`,
  );
}

/** The last row of a time or earlier. */
async function lastUntil(store: Store, at: number): Promise<number | null> {
  const spanned = await spannedRows(store);
  const rowIn = (after: number, upto: number): Promise<number | null> =>
    numberOf(
      store,
      sql<{
        number: number;
      }>`select id as number from ledger_rows where id > ${after} and id <= ${upto} and at <= ${at} order by id desc limit 1`,
    );
  const found = await rowIn(spanned, Number.MAX_SAFE_INTEGER);
  if (found !== null) return found;
  const span = await numberOf(
    store,
    sql<{
      number: number;
    }>`select span as number from ledger_spans where span < ${spanned / SPAN_ROWS} and min_at <= ${at} order by span desc limit 1`,
  );
  return span === null ? null : rowIn(span * SPAN_ROWS, (span + 1) * SPAN_ROWS);
}

async function numberOf({ read }: Store, statement: RawBuilder<{ number: number }>): Promise<number | null> {
  const [found] = await run(read, statement);
  return found?.number ?? null;
}
