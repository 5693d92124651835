import type { LedgerReader, LedgerRow, RowRange } from '../../ledger/index.ts';
import { Counts, listRows } from './list.ts';
import { RowReader } from '../cells/row-reader.ts';
import { rowsWithin, sizeOf } from './spans.ts';
import type { Store } from '../sql/store.ts';

/** Rows that are read by one statement. */
const BATCH = 1024;

/** ledgerReader reads the ledger of a store. */
export function ledgerReader(store: Store): LedgerReader {
  const reader = new RowReader(store.read);
  const counts = new Counts();
  return {
    size: () => sizeOf(store),
    async row(id) {
      if (!Number.isSafeInteger(id)) return null;
      const [row] = await reader.between(id, id, 'asc');
      return row ?? null;
    },
    list: (filter, page) => listRows(store, reader, counts, filter, page),
    rangeOf: (from, to) => rowsWithin(store, from, to),
    newestFirst: (range) => newestFirst(store, range),
    oldestFirst: (range) => oldestFirst(store, range),
  };
}

async function* newestFirst(
  store: Store,
  range: RowRange,
): AsyncGenerator<readonly LedgerRow[], void, undefined> {
  const reader = new RowReader(store.read);
  for (let last = range.last; last >= range.first; last -= BATCH) {
    yield await reader.between(Math.max(range.first, last - BATCH + 1), last, 'desc');
  }
}

async function* oldestFirst(
  store: Store,
  range: RowRange,
): AsyncGenerator<readonly LedgerRow[], void, undefined> {
  const reader = new RowReader(store.read);
  for (let first = range.first; first <= range.last; first += BATCH) {
    yield await reader.between(first, Math.min(range.last, first + BATCH - 1), 'asc');
  }
}
