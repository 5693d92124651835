import { sql } from 'kysely';
import { DAY_MS } from '../../base/index.ts';
import { PERIOD, type SweepLog } from '../../reconcile/index.ts';
import { seeCluster, seeRunning } from '../history/cluster-sweeps.ts';
import { noteAccounted } from '../history/cluster-days.ts';
import { writeEvents } from '../outbox/index.ts';
import { clusterFence } from '../../leadership/index.ts';
import { STOP_PERIOD } from '../../runtime/index.ts';
import { underFence } from '../leadership/fence.ts';
import { FactsCache } from '../ledger/recorded-facts.ts';
import { NO_ANSWER, stopsWithin } from './pod-stops.ts';
import { retentionNow } from '../history/retention-times.ts';
import type { Writes } from '../history/run-history.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** Characters of a fault that are kept. */
const MAX_FAULT = 2000;
/** Sweeps are kept for so long; of each cluster the last one that saw everything stays. */
const KEPT = 90 * DAY_MS;

/** sweepLog keeps sweeps in a database. */
export function sweepLog(store: Store): SweepLog {
  return {
    begin: (fence, { cluster, startedAt, pods, unreviewed, refused, notices }) =>
      underFence(store, clusterFence(cluster, fence), async (transaction) => {
        await seeCluster(transaction, cluster, startedAt);
        // A cluster that sweeps is there, no matter who removed it.
        await run(
          transaction,
          sql`update clusters set forgotten_at = null where name = ${cluster} and forgotten_at is not null`,
        );
        await run(
          transaction,
          sql`delete from reconcile_sweeps where cluster = ${cluster} and started_at < ${(await retentionNow(transaction, startedAt)) - KEPT} and id <
             (select coalesce(max(id), 0) from reconcile_sweeps where cluster = ${cluster} and finished_at is not null)`,
        );
        const [row] = await run(
          transaction,
          sql<
            Row<'reconcile_sweeps', 'id'>
          >`insert into reconcile_sweeps (cluster, started_at, pods, unreviewed, refused) values (${cluster}, ${startedAt}, ${pods}, ${unreviewed}, ${refused}) returning id`,
        );
        await writeEvents(transaction, notices, { at: startedAt, period: PERIOD });
        if (row === undefined) throw new Error('a sweep was not recorded');
        return row.id;
      }),
    async end(fence, id, { cluster, at, running, fault, accounted }) {
      const write: Writes = (act) => underFence(store, clusterFence(cluster, fence), act);
      await write((transaction) => seeCluster(transaction, cluster, at));
      const end = await seeRunning(store.read, write, cluster, running, at, fault === null);
      await write(async (transaction) => {
        await run(
          transaction,
          sql`update reconcile_sweeps set finished_at = ${fault === null ? at : null}, last_error = ${fault?.slice(0, MAX_FAULT).toWellFormed() ?? null} where id = ${id}`,
        );
        await end(transaction);
        if (fault === null && accounted) await noteAccounted(transaction, cluster, at);
      });
    },
    stopBegun: (fence, { at, cluster, policy, namespace, pod, podUid, digest }, maxStops) =>
      underFence(store, clusterFence(cluster, fence), async (transaction) => {
        if ((await stopsWithin(transaction, cluster, at - STOP_PERIOD)) >= maxStops) return null;
        const [row] = await run(
          transaction,
          sql<
            Row<'pod_stops', 'id'>
          >`insert into pod_stops (at, policy, cluster, namespace, pod, pod_uid, digest, stop_mode, outcome, last_error)
           values (${at}, ${policy}, ${cluster}, ${namespace}, ${pod}, ${podUid}, ${digest}, 'graceful', 'failed', ${NO_ANSWER}) returning id`,
        );
        await run(
          transaction,
          sql`insert into audit (at, actor, action, target, detail) values (${at}, '', 'runtime_pod_stop', ${`${namespace}/${pod}`}, ${JSON.stringify({ pod_uid: podUid, policy, cluster, digest })})`,
        );
        if (row === undefined) throw new Error('an attempt to stop a pod was not recorded');
        return row.id;
      }),
    // Not under the fence: it says what has happened, no matter who leads by now.
    stopEnded: (id, outcome, fault) =>
      store.write(async (transaction) => {
        await run(
          transaction,
          sql`update pod_stops set outcome = ${outcome}, last_error = ${fault?.slice(0, MAX_FAULT).toWellFormed() ?? null} where id = ${id}`,
        );
      }),
    stops: (cluster, since) =>
      run(
        store.read,
        sql`select namespace, digest, max(at) as at from pod_stops where cluster = ${cluster} and outcome = 'stopped'
           and event_id is null and digest is not null and at >= ${since} group by namespace, digest`,
      ),
  };
}

/** sweepFacts reads recorded facts, and remembers them from one sweep to the next. */
export function sweepFacts(store: Store): {
  load(digests: readonly string[]): ReturnType<FactsCache['load']>;
} {
  const cache = new FactsCache();
  return { load: (digests) => cache.load(store.read, digests) };
}

/**
 * installedAt gives when the operator of a cluster first led it, in UTC milliseconds: a cluster may come to a database that is older than
 * its operator, with pods that nobody could review. Before it led, no pod should have been.
 */
export async function installedAt({ read }: Pick<Store, 'read'>, cluster: string): Promise<number> {
  const [row] = await run(
    read,
    sql<{ at: number }>`select first_seen_at as at from clusters where name = ${cluster}`,
  );
  return row?.at ?? Number.MAX_SAFE_INTEGER;
}

/**
 * lastSweepAt gives when the last sweep over a cluster began that came to its end, in UTC milliseconds; null before the first. The last
 * in their order: a clock that was ahead once keeps no later sweep from being the last.
 */
export async function lastSweepAt({ read }: Pick<Store, 'read'>, cluster: string): Promise<number | null> {
  const [row] = await run(
    read,
    sql<{
      at: number;
    }>`select started_at as at from reconcile_sweeps where cluster = ${cluster} and finished_at is not null order by id desc limit 1`,
  );
  return row?.at ?? null;
}
