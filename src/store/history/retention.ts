import { sql, type RawBuilder } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS } from '../../base/index.ts';
import type { Store } from '../sql/store.ts';
import { run } from '../sql/run.ts';

/** Rows that go in one transaction. */
const PAGE = 200;
/** Images whose scans one transaction looks through. */
const IMAGES = 50;

type Ends = 'finding_history' | 'run_history' | 'catalogue_history' | 'policy_history';

/** What ended before a time, by its key. What still stands is kept however old it is. */
const ended = (
  before: number,
): (readonly [Table: Ends, key: RawBuilder<unknown>, ended: RawBuilder<unknown>])[] => [
  ['finding_history', sql`image, cve, first_seen_at`, sql`ended_at is not null and ended_at < ${before}`],
  [
    'run_history',
    sql`image, cluster, first_seen_at`,
    sql`exists (select 1 from run_history n where n.image = run_history.image and n.ended_at is not null
       and n.last_seen_at < ${before} and n.last_seen_at > run_history.last_seen_at) and ended_at is not null`,
  ],
  ['catalogue_history', sql`cve, listed_at`, sql`delisted_at < ${before}`],
  ['policy_history', sql`name, from_at`, sql`until_at < ${before}`],
];

/**
 * pruneHistory deletes what ended before a time in milliseconds, and says that the records begin there. Of each image
 * its newest scan and its last run before it stay: they tell how old its scan was, and that it does not run. An abort ends it after a page. Gives how many rows went.
 */
export async function pruneHistory(store: Store, before: number, signal: AbortSignal): Promise<number> {
  const change = async (statement: RawBuilder<unknown>): Promise<number> => {
    const gone = await store.write((transaction) => run(transaction, statement));
    await nextTurn();
    return gone.length;
  };
  await change(sql`update history_began set at = ${before} where at < ${before} returning at`);
  let gone = 0;
  for (const [name, key, is] of ended(before)) {
    const table = sql.table(name);
    for (let page = PAGE; page === PAGE && !signal.aborted; gone += page)
      page = await change(
        sql`delete from ${table} where (${key}) in (select ${key} from ${table} where ${is} limit ${PAGE}) returning 1 as one`,
      );
  }
  const [last] = await run(store.read, sql<{ id: number | null }>`select max(id) as id from history_images`);
  for (let from = 0; from < (last?.id ?? 0) && !signal.aborted; from += IMAGES)
    gone += await change(
      sql`delete from scan_history where image > ${from} and image <= ${from + IMAGES} and scanned_at <
         (select max(n.scanned_at) from scan_history n where n.image = scan_history.image and n.scanned_at < ${before}) returning image`,
    );
  if (signal.aborted) return gone;
  return (
    gone +
    (await change(sql`delete from cluster_days where day < ${Math.floor(before / DAY_MS)} returning day`))
  );
}
