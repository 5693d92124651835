import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { run } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** Events that go in one transaction. */
const PAGE = 500;

/**
 * pruneRuntimeEvents deletes events of before a time in milliseconds, page by page; an abort ends it. The counts of their days stay. Gives
 * how many went.
 */
export async function pruneRuntimeEvents(store: Store, before: number, signal: AbortSignal): Promise<number> {
  let gone = 0;
  for (let page = PAGE; page === PAGE && !signal.aborted; gone += page) {
    const rows = await store.write((transaction) =>
      run(
        transaction,
        sql`delete from runtime_events where id in (select id from runtime_events where at < ${before} order by at limit ${PAGE}) returning id`,
      ),
    );
    page = rows.length;
    await nextTurn();
  }
  return gone;
}
