import { TrackerError } from '../../trackers/index.ts';

/** Pages that a list may have; what has more is not a list of ours. */
const MAX_PAGES = 500;

/** TooLong is an answer beyond its bound; a list can be asked for in smaller pages then. */
export class TooLong extends TrackerError {}

/** PageRead reads one page, counted from 1, of this many items. */
export type PageRead<T> = (size: number, page: number) => Promise<readonly T[]>;

/**
 * eachOf gives the items of a list page by page, until a page is not full. `sizes` are tried in turn, largest first, each a multiple of
 * the next: where an answer is too long, the same place is read in smaller pages.
 */
export async function* eachOf<T>(sizes: readonly number[], read: PageRead<T>): AsyncGenerator<T, void> {
  let [size = 1, ...smaller] = sizes;
  let seen = 0;
  for (let reads = 0; reads < MAX_PAGES; reads += 1) {
    let items: readonly T[];
    try {
      items = await read(size, Math.floor(seen / size) + 1);
    } catch (error) {
      const [next, ...rest] = smaller;
      if (!(error instanceof TooLong) || next === undefined) throw error;
      [size, smaller] = [next, rest];
      continue;
    }
    yield* items;
    seen += size;
    if (items.length < size) return;
  }
  throw new TrackerError('unreadable', `the tracker's list does not end after ${MAX_PAGES} pages`, {
    happened: 'no',
  });
}
