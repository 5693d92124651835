import { sql, type RawBuilder } from 'kysely';
import { latestWait } from '../../base/index.ts';
import { LONGEST_WAIT, type ScanClaim, type ScanQueue, type ScanRequests } from '../../scan/index.ts';
import { inLists } from '../sql/marks.ts';
import { keepFailure } from './failures.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/**
 * What waits, with its turn among those of its namespace, behind what is scanned of it now: each namespace has its turn, so that a user who
 * creates many pods holds up only their own images. What no pod is known of counts as of one more namespace.
 */
const inTurn = (
  lostBefore: number,
  at: number,
  waiting: number,
): RawBuilder<unknown> => sql`select q.digest, q.claimed_at, q.not_before, q.requested_at,
    row_number() over (partition by s.namespace
      order by case when q.claimed_at > ${lostBefore} then 0 else 1 end, q.not_before, q.requested_at, q.digest) as turn
  from scan_queue q left join image_sightings s on s.digest = q.digest
  where q.not_before <= ${at} or q.not_before > ${waiting} or q.claimed_at is not null`;

/**
 * scanQueue keeps the queue of scans in a database. A claim is its time: it holds as long as no other took the scan over, so a
 * worker that took too long finds that its claim is lost.
 */
export function scanQueue(store: Store): ScanQueue {
  const held = ({ digest, claimedAt }: Held): RawBuilder<unknown> =>
    sql`digest = ${digest} and claimed_at = ${claimedAt} returning digest`;
  return {
    request: (digests, by, at) => requestScans(store, [...new Set(digests)], by, at),
    async claim(at, lostBefore, limit) {
      // A time in the future that nobody sets was written by a clock that was ahead.
      const [claimed, waiting] = [latestWait(at, 0), latestWait(at, LONGEST_WAIT)];
      const free = sql`(claimed_at is null or claimed_at <= ${lostBefore} or claimed_at > ${claimed}) and (not_before <= ${at} or not_before > ${waiting})`;
      // What a worker beside us takes between the two reads no longer meets the condition, and is left to it.
      const next = await run(
        store.read,
        sql<
          Row<'scan_queue', 'digest'>
        >`select digest from (${inTurn(lostBefore, at, waiting)}) waiting where ${free}
         group by digest order by min(turn), min(not_before), min(requested_at), digest limit ${limit}`,
      );
      if (next.length === 0) return [];
      const digests = sql.join(next.map(({ digest }) => digest));
      const claims = await store.write((transaction) =>
        run(
          transaction,
          sql<ClaimRow>`update scan_queue set claimed_at = ${at}, attempts = attempts + 1 where digest in (${digests}) and ${free}
           returning digest, requested_at, attempts, claimed_at, done`,
        ),
      );
      return claims
        .map(({ digest, requested_at, attempts, claimed_at, done }): ScanClaim => ({
          digest,
          requestedAt: requested_at,
          attempts,
          claimedAt: claimed_at,
          done: done === null ? [] : (JSON.parse(done) as string[]),
        }))
        .toSorted((a, b) => a.requestedAt - b.requestedAt || (a.digest < b.digest ? -1 : 1));
    },
    finish: async (claim) =>
      (await store.write((transaction) => run(transaction, sql`delete from scan_queue where ${held(claim)}`)))
        .length > 0,
    next: (claim, done, failure) =>
      store.write(async (transaction) => {
        const put = await run(
          transaction,
          sql`update scan_queue set claimed_at = null, attempts = 0, done = ${JSON.stringify(done)} where ${held(claim)}`,
        );
        if (put.length > 0 && failure !== null) await keepFailure(transaction, claim.digest, failure);
        return put.length > 0;
      }),
    fail: (claim, failure, notBefore) =>
      store.write(async (transaction) => {
        const put = await run(
          transaction,
          notBefore === null
            ? sql`delete from scan_queue where ${held(claim)}`
            : sql`update scan_queue set claimed_at = null, not_before = ${notBefore} where ${held(claim)}`,
        );
        if (put.length > 0 && failure !== null) await keepFailure(transaction, claim.digest, failure);
        return put.length > 0;
      }),
    async size() {
      const [row] = await run(store.read, sql<{ count: number }>`select count(*) as count from scan_queue`);
      return row?.count ?? 0;
    },
  };
}

type Held = Pick<ScanClaim, 'digest' | 'claimedAt'>;

interface ClaimRow extends Row<'scan_queue', 'digest' | 'requested_at' | 'attempts' | 'done'> {
  readonly claimed_at: number;
}

function requestScans(
  store: Store,
  digests: readonly string[],
  by: string | null,
  at: number,
): Promise<ScanRequests> {
  return store.write(async (transaction) => {
    const known = new Set<string>();
    for (const marks of inLists(digests)) {
      const rows = await run(
        transaction,
        sql<Row<'images', 'digest'>>`select digest from images where digest in (${marks})`,
      );
      for (const { digest } of rows) known.add(digest);
    }
    const queued = new Set<string>();
    for (const digest of [...known].toSorted()) {
      const made = await run(
        transaction,
        sql`insert into scan_queue (digest, requested_at, requested_by, attempts, not_before) values (${digest}, ${at}, ${by}, 0, ${at})
         on conflict (digest) do nothing returning digest`,
      );
      if (made.length > 0) queued.add(digest);
      else if (by !== null)
        // Somebody who asks again wants it now; pods that are made again and again must not undo the waiting.
        await run(
          transaction,
          sql`update scan_queue set not_before = ${at} where digest = ${digest} and not_before > ${at}`,
        );
    }
    return {
      queued: digests.filter((digest) => queued.has(digest)),
      alreadyQueued: digests.filter((digest) => known.has(digest) && !queued.has(digest)),
      unknown: digests.filter((digest) => !known.has(digest)),
    };
  });
}
