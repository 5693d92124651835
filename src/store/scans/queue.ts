import { latestWait } from '../../base/index.ts';
import { LONGEST_WAIT, type ScanClaim, type ScanQueue, type ScanRequests } from '../../scan/index.ts';
import { runText, type Cell } from '../sql/dialect.ts';
import { inChunks } from '../sql/marks.ts';
import { keepFailure } from './failures.ts';
import type { Store } from '../sql/store.ts';

/**
 * What waits, with its turn among those of its namespace, behind what is scanned of it now: each namespace has its turn, so that whoever
 * makes many pods holds up his own images. What no pod is known of counts as of one more namespace.
 */
const IN_TURN = `select q.digest, q.claimed_at, q.not_before, q.requested_at,
    row_number() over (partition by s.namespace
      order by case when q.claimed_at > ? then 0 else 1 end, q.not_before, q.requested_at, q.digest) as turn
  from scan_queue q left join image_sightings s on s.digest = q.digest
  where q.not_before <= ? or q.not_before > ? or q.claimed_at is not null`;

/**
 * scanQueue keeps the queue of scans in a database. A claim is its time: it holds as long as no other took the scan over, so a
 * worker that took too long finds that its claim is lost.
 */
export function scanQueue(store: Store): ScanQueue {
  const held = 'digest = ? and claimed_at = ?';
  const change = async (text: string, cells: readonly Cell[]): Promise<boolean> =>
    (await store.write((transaction) => runText(transaction, `${text} returning digest`, cells))).length > 0;
  return {
    request: (digests, by, at) => requestScans(store, [...new Set(digests)], by, at),
    async claim(at, lostBefore, limit) {
      // A time in the future that nobody sets was written by a clock that was ahead.
      const free =
        '(claimed_at is null or claimed_at <= ? or claimed_at > ?) and (not_before <= ? or not_before > ?)';
      const [claimed, waiting] = [latestWait(at, 0), latestWait(at, LONGEST_WAIT)];
      // What a worker beside us takes between the two reads no longer meets the condition, and is left to it.
      const times = [lostBefore, claimed, at, waiting];
      const next = await runText<{ digest: string }>(
        store.read,
        `select digest from (${IN_TURN}) waiting where ${free}
         group by digest order by min(turn), min(not_before), min(requested_at), digest limit ?`,
        [lostBefore, at, waiting, ...times, limit],
      );
      if (next.length === 0) return [];
      const marks = next.map(() => '?').join(', ');
      const claims = await store.write((transaction) =>
        runText<ClaimRow>(
          transaction,
          `update scan_queue set claimed_at = ?, attempts = attempts + 1 where digest in (${marks}) and ${free}
           returning digest, requested_at, attempts, claimed_at, done`,
          [at, ...next.map(({ digest }) => digest), ...times],
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
    finish: ({ digest, claimedAt }) => change(`delete from scan_queue where ${held}`, [digest, claimedAt]),
    next: ({ digest, claimedAt }, done, failure) =>
      store.write(async (transaction) => {
        const put = await runText(
          transaction,
          `update scan_queue set claimed_at = null, attempts = 0, done = ? where ${held} returning digest`,
          [JSON.stringify(done), digest, claimedAt],
        );
        if (put.length > 0 && failure !== null) await keepFailure(transaction, digest, failure);
        return put.length > 0;
      }),
    fail: ({ digest, claimedAt }, failure, notBefore) =>
      store.write(async (transaction) => {
        const put =
          notBefore === null
            ? await runText(transaction, `delete from scan_queue where ${held} returning digest`, [
                digest,
                claimedAt,
              ])
            : await runText(
                transaction,
                `update scan_queue set claimed_at = null, not_before = ? where ${held} returning digest`,
                [notBefore, digest, claimedAt],
              );
        if (put.length > 0 && failure !== null) await keepFailure(transaction, digest, failure);
        return put.length > 0;
      }),
    async size() {
      const [row] = await runText<{ count: number }>(
        store.read,
        'select count(*) as count from scan_queue',
        [],
      );
      return row?.count ?? 0;
    },
  };
}

interface ClaimRow {
  readonly digest: string;
  readonly requested_at: number;
  readonly attempts: number;
  readonly claimed_at: number;
  readonly done: string | null;
}

function requestScans(
  store: Store,
  digests: readonly string[],
  by: string | null,
  at: number,
): Promise<ScanRequests> {
  return store.write(async (transaction) => {
    const known = new Set<string>();
    for (const { marks, cells } of inChunks(digests)) {
      const rows = await runText<{ digest: string }>(
        transaction,
        `select digest from images where digest in (${marks})`,
        cells,
      );
      for (const { digest } of rows) known.add(digest);
    }
    const queued = new Set<string>();
    for (const digest of [...known].toSorted()) {
      const made = await runText(
        transaction,
        `insert into scan_queue (digest, requested_at, requested_by, attempts, not_before) values (?, ?, ?, 0, ?)
         on conflict (digest) do nothing returning digest`,
        [digest, at, by, at],
      );
      if (made.length > 0) queued.add(digest);
      else if (by !== null)
        // Somebody who asks again wants it now; pods that are made again and again must not undo the waiting.
        await runText(
          transaction,
          'update scan_queue set not_before = ? where digest = ? and not_before > ?',
          [at, digest, at],
        );
    }
    return {
      queued: digests.filter((digest) => queued.has(digest)),
      alreadyQueued: digests.filter((digest) => known.has(digest) && !queued.has(digest)),
      unknown: digests.filter((digest) => !known.has(digest)),
    };
  });
}
