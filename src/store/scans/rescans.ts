import { sql } from 'kysely';
import type { RescanStore } from '../../scan/index.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** rescanStore tells which images in use are to be scanned again. */
export function rescanStore({ read }: Pick<Store, 'read'>): RescanStore {
  return {
    async due({ databaseAt, scanner, scannedBefore, usedSince, limit }) {
      const rows = await run(
        read,
        sql<Row<'scans', 'digest'>>`select s.digest from scans s join images i on i.digest = s.digest
         where s.current = 1 and (i.missing > 0 or (coalesce(s.scanned_at, 0) < ${scannedBefore}
             and (s.db_updated_at is null or s.db_updated_at < ${databaseAt} or s.scanner is distinct from ${scanner}
               or (i.platforms is null and (select count(distinct platform) from node_platforms) > 1))))
           and not exists (select 1 from scan_queue q where q.digest = s.digest)
           and (exists (select 1 from image_names n where n.digest = s.digest and n.not_asked is null and n.last_seen_at >= ${usedSince})
             or exists (select 1 from running_images r where r.digest = s.digest and r.last_seen_at >= ${usedSince}))
         order by case when i.missing > 0 then 0 else 1 end, coalesce(s.scanned_at, 0), s.digest limit ${limit}`,
      );
      return rows.map(({ digest }) => digest);
    },
  };
}

/** Records that go in one transaction. */
const PAGE = 200;

/**
 * pruneScans deletes the records of scans that were replaced, or came to nothing, and were recorded before a time in milliseconds. The
 * scan in use stays, however old. An abort ends it after a page. Gives how many went.
 */
export async function pruneScans(store: Store, before: number, signal: AbortSignal): Promise<number> {
  let gone = 0;
  while (!signal.aborted) {
    const page = await run(
      store.read,
      sql<
        Row<'scans', 'id'>
      >`select id from scans where current = 0 and recorded_at < ${before} order by id limit ${PAGE}`,
    );
    for (const marks of inLists(page.map(({ id }) => id)))
      gone += (
        await store.write((transaction) =>
          run(transaction, sql`delete from scans where current = 0 and id in (${marks}) returning id`),
        )
      ).length;
    if (page.length < PAGE) break;
    await nextTurn();
  }
  return gone;
}

/**
 * pruneFailures deletes why digests could not be scanned that nobody tried, reviewed or ran since a time in milliseconds. What is still
 * asked for stays. An abort ends it after a page. Gives how many rows went.
 */
export async function pruneFailures(store: Store, before: number, signal: AbortSignal): Promise<number> {
  let gone = 0;
  while (!signal.aborted) {
    const page = await store.write((transaction) =>
      run(
        transaction,
        sql<Row<'scan_failures', 'digest'>>`delete from scan_failures where (digest, platform) in (
           select f.digest, f.platform from scan_failures f where f.last_at < ${before}
             and not exists (select 1 from scan_queue q where q.digest = f.digest)
             and not exists (select 1 from image_names n where n.digest = f.digest and n.last_seen_at >= ${before})
             and not exists (select 1 from running_images r where r.digest = f.digest and r.last_seen_at >= ${before})
           limit ${PAGE}
         ) returning digest`,
      ),
    );
    gone += page.length;
    if (page.length < PAGE) break;
  }
  return gone;
}
