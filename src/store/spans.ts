import type { RowRange } from '../ledger/index.ts';
import { runText, type Insert } from './dialect.ts';
import type { Store } from './store.ts';

/** SPAN_ROWS is how many rows one line of `ledger_spans` tells the times of. */
export const SPAN_ROWS = 4096;

/** spanOf gives the span that a row belongs to. */
export function spanOf(id: number): number {
  return Math.floor((id - 1) / SPAN_ROWS);
}

const WIDER = `on conflict ("span") do update set
  min_at = case when excluded.min_at < ledger_spans.min_at then excluded.min_at else ledger_spans.min_at end,
  max_at = case when excluded.max_at > ledger_spans.max_at then excluded.max_at else ledger_spans.max_at end`;

/** spansOf gives what takes the times of new rows, whose ids are consecutive from `first`, into their spans. */
export function spansOf(first: number, times: readonly number[]): Insert {
  const spans = new Map<number, [span: number, min: number, max: number]>();
  times.forEach((at, i) => {
    const span = spanOf(first + i);
    const known = spans.get(span);
    if (known === undefined) spans.set(span, [span, at, at]);
    else {
      if (at < known[1]) known[1] = at;
      if (at > known[2]) known[2] = at;
    }
  });
  const types = { span: 'integer', min_at: 'integer', max_at: 'integer' } as const;
  return { table: 'ledger_spans', types, rows: [...spans.values()], tail: WIDER };
}

/**
 * rowsWithin gives the range of ids, no wider than it must be, that holds every row of a closed period of time. Rows are
 * ordered by number, so where a clock was set back some rows inside lie outside the period. Its ends may be finer than the
 * whole milliseconds of rows.
 */
export async function rowsWithin(store: Store, from: number | null, to: number | null): Promise<RowRange> {
  const { read } = store;
  const first = from === null ? 1 : await edge(read, 'asc', 'max_at >= ?', 'at >= ?', Math.ceil(from));
  const last =
    to === null ? await sizeOf(store) : await edge(read, 'desc', 'min_at <= ?', 'at <= ?', Math.floor(to));
  return first === null || last === null ? { first: 1, last: 0 } : { first, last };
}

/** unevenSpans gives the spans of a range that have rows outside of a closed period of whole milliseconds, ascending. */
export async function unevenSpans(
  store: Store,
  { first, last }: RowRange,
  from: number | null,
  to: number | null,
): Promise<number[]> {
  if (first > last) return [];
  const found = await runText<{ span: number }>(
    store.read,
    'select span from ledger_spans where span between ? and ? and (min_at < ? or max_at > ?) order by span',
    [spanOf(first), spanOf(last), from ?? Number.MIN_SAFE_INTEGER, to ?? Number.MAX_SAFE_INTEGER],
  );
  return found.map(({ span }) => span);
}

/** sizeOf gives how many rows the ledger has. */
export async function sizeOf(store: Store): Promise<number> {
  const [head] = await runText<{ size: number }>(store.read, 'select size from ledger_head where id = 1', []);
  return head?.size ?? 0;
}

async function edge(
  read: Store['read'],
  order: 'asc' | 'desc',
  ofSpan: string,
  ofRow: string,
  at: number,
): Promise<number | null> {
  const [found] = await runText<{ span: number }>(
    read,
    `select span from ledger_spans where ${ofSpan} order by span ${order} limit 1`,
    [at],
  );
  if (found === undefined) return null;
  const low = found.span * SPAN_ROWS + 1;
  const [row] = await runText<{ id: number }>(
    read,
    `select id from ledger_rows where id between ? and ? and ${ofRow} order by id ${order} limit 1`,
    [low, low + SPAN_ROWS - 1, at],
  );
  return row?.id ?? null;
}
