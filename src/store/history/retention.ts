import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS } from '../../base/index.ts';
import { runText, type Cell } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';

/** Rows that go in one transaction. */
const PAGE = 200;
/** Images whose scans one transaction looks through. */
const IMAGES = 50;

/** What ended before a time, by its key. What still stands is kept however old it is. */
const ENDED = [
  ['finding_history', 'image, cve, first_seen_at', 'ended_at is not null and ended_at < ?'],
  [
    'run_history',
    'image, cluster, first_seen_at',
    `exists (select 1 from run_history n where n.image = run_history.image and n.ended_at is not null
       and n.last_seen_at < ? and n.last_seen_at > run_history.last_seen_at) and ended_at is not null`,
  ],
  ['catalogue_history', 'cve, listed_at', 'delisted_at < ?'],
  ['policy_history', 'name, from_at', 'until_at < ?'],
] as const;

/**
 * pruneHistory deletes what ended before a time in milliseconds, and says that the records begin there. Of each image
 * its newest scan and its last run before it stay: they tell how old its scan was, and that it does not run. An abort ends it after a page. Gives how many rows went.
 */
export async function pruneHistory(store: Store, before: number, signal: AbortSignal): Promise<number> {
  const change = async (text: string, cells: readonly Cell[]): Promise<number> => {
    const gone = await store.write((transaction) => runText(transaction, text, cells));
    await nextTurn();
    return gone.length;
  };
  await change('update history_began set at = ? where at < ? returning at', [before, before]);
  let gone = 0;
  for (const [table, key, ended] of ENDED) {
    for (let page = PAGE; page === PAGE && !signal.aborted; gone += page)
      page = await change(
        `delete from ${table} where (${key}) in (select ${key} from ${table} where ${ended} limit ${PAGE}) returning 1 as one`,
        [before],
      );
  }
  const [last] = await runText<{ id: number | null }>(
    store.read,
    'select max(id) as id from history_images',
    [],
  );
  for (let from = 0; from < (last?.id ?? 0) && !signal.aborted; from += IMAGES)
    gone += await change(
      `delete from scan_history where image > ? and image <= ? and scanned_at <
         (select max(n.scanned_at) from scan_history n where n.image = scan_history.image and n.scanned_at < ?) returning image`,
      [from, from + IMAGES, before],
    );
  if (signal.aborted) return gone;
  return (
    gone +
    (await change('delete from cluster_days where day < ? returning day', [Math.floor(before / DAY_MS)]))
  );
}
