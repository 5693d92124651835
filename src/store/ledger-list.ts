import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson } from '../base/index.ts';
import type { LedgerFilter, LedgerRow } from '../ledger/index.ts';
import { runText, type Cell } from './dialect.ts';
import { OWN_COLUMNS, type OwnRow, type RowReader } from './row-reader.ts';
import { rowsWithin, SPAN_ROWS } from './spans.ts';
import type { Store } from './store.ts';

/** Rows that one statement counts: few enough that a synchronous engine lets the process answer others in between. */
const SLICE = 8 * SPAN_ROWS;
/** Filters whose counts are remembered, and slices of them all together. */
const MAX_FILTERS = 32;

/**
 * Counts remembers how many rows of a whole slice a filter chooses. Rows and shapes never change, so that stays true for
 * ever, and turning pages does not count again.
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

interface Condition {
  readonly text: string;
  readonly cells: readonly Cell[];
}

/** listRows gives the rows that a filter chooses, newest first, and how many there are in all. */
export async function listRows(
  store: Store,
  reader: RowReader,
  counts: Counts,
  filter: LedgerFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly items: readonly LedgerRow[]; readonly total: number }> {
  const { from = null, to = null, ...rest } = filter;
  const range = await rowsWithin(store, from, to);
  const shape = shapeCondition(rest);
  // An asked time may be finer than a millisecond, which a column of integers on PostgreSQL refuses.
  const times = timeCondition(from && Math.ceil(from), to && Math.floor(to));
  if (shape === null && times === null)
    return { ...(await page(reader, range.last, limit, offset)), total: range.last };

  const known = counts.of(canonicalJson(JSON.parse(JSON.stringify(filter))));
  const condition = both(shape, times);
  const items: OwnRow[] = [];
  let total = 0;
  for (let slice = Math.floor((range.last - 1) / SLICE); slice >= 0; slice -= 1) {
    const first = Math.max(range.first, slice * SLICE + 1);
    const last = Math.min(range.last, (slice + 1) * SLICE);
    if (first > last) break;
    const whole = last === (slice + 1) * SLICE;
    let count = known.get(slice);
    if (count === undefined) {
      count = await countRows(store, condition, first, last);
      if (whole) known.set(slice, count);
      await nextTurn();
    }
    if (items.length < limit && total + count > offset) {
      const skip = Math.max(0, offset - total);
      items.push(...(await readRows(store, condition, first, last, limit - items.length, skip)));
    }
    total += count;
  }
  return { items: await reader.whole(items), total };
}

/** Without a filter, a page is a range of numbers. */
async function page(
  reader: RowReader,
  size: number,
  limit: number,
  offset: number,
): Promise<{ readonly items: readonly LedgerRow[] }> {
  const last = size - offset;
  return {
    items: last < 1 || limit < 1 ? [] : await reader.between(Math.max(1, last - limit + 1), last, 'desc'),
  };
}

async function countRows(
  store: Store,
  { text, cells }: Condition,
  first: number,
  last: number,
): Promise<number> {
  const [found] = await runText<{ count: number }>(
    store.read,
    `select count(*) as count from ledger_rows r join ledger_shapes s on s.id = r.shape where r.id between ? and ? and ${text}`,
    [first, last, ...cells],
  );
  return found?.count ?? 0;
}

async function readRows(
  store: Store,
  { text, cells }: Condition,
  first: number,
  last: number,
  limit: number,
  offset: number,
): Promise<OwnRow[]> {
  const columns = OWN_COLUMNS.split(', ').map((column) => `r.${column}`);
  return runText<OwnRow>(
    store.read,
    `select ${columns.join(', ')} from ledger_rows r join ledger_shapes s on s.id = r.shape
      where r.id between ? and ? and ${text} order by r.id desc limit ? offset ?`,
    [first, last, ...cells, limit, offset],
  );
}

function shapeCondition(filter: Omit<LedgerFilter, 'from' | 'to'>): Condition | null {
  const parts: [text: string, cell: Cell][] = [];
  for (const column of ['namespace', 'cluster', 'digest', 'label', 'policy'] as const) {
    const value = filter[column];
    if (value !== undefined) parts.push([`s.${column} = ?`, value]);
  }
  if (filter.image !== undefined) {
    const escaped = filter.image.toLowerCase().replaceAll(/[!%_]/g, '!$&');
    parts.push(["lower(s.image) like ? escape '!'", `%${escaped}%`]);
  }
  if (filter.refused !== undefined) parts.push(['s.allowed = ?', filter.refused ? 0 : 1]);
  if (filter.breakGlass !== undefined) parts.push(['s.break_glass = ?', filter.breakGlass ? 1 : 0]);
  if (parts.length === 0) return null;
  return { text: parts.map(([text]) => text).join(' and '), cells: parts.map(([, cell]) => cell) };
}

/** The range holds the period; a clock that was set back may have left other rows inside. */
function timeCondition(from: number | null, to: number | null): Condition | null {
  if (from === null && to === null) return null;
  return {
    text: `${from === null ? '' : 'r.at >= ?'}${from !== null && to !== null ? ' and ' : ''}${to === null ? '' : 'r.at <= ?'}`,
    cells: [from, to].filter((at) => at !== null),
  };
}

function both(a: Condition | null, b: Condition | null): Condition {
  const parts = [a, b].filter((condition) => condition !== null);
  return { text: parts.map(({ text }) => text).join(' and '), cells: parts.flatMap(({ cells }) => cells) };
}
