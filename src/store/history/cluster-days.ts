import { sql } from 'kysely';
import { DAY_MS } from '../../base/index.ts';
import type { DetectorSigns } from '../../history/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const MINUTE = 60_000;
const MINUTES = DAY_MS / MINUTE;

/** beginRecord keeps when a record began, the first time that it is called; `cluster` is empty for what concerns all. */
export async function beginRecord(
  transaction: Executor,
  record: string,
  cluster: string,
  at: number,
): Promise<void> {
  await run(
    transaction,
    sql`insert into history_began (record, cluster, at) values (${record}, ${cluster}, ${at}) on conflict (record, cluster) do nothing`,
  );
}

/** noteMinutes keeps minutes since 1970 in which a replica answered reviews, beside those that others kept. */
export async function noteMinutes(
  transaction: Executor,
  cluster: string,
  minutes: readonly number[],
): Promise<void> {
  const days = [...Map.groupBy(minutes, (minute) => Math.floor(minute / MINUTES))].toSorted(
    ([a], [b]) => a - b,
  );
  const first = Math.min(...minutes);
  if (minutes.length > 0) await beginRecord(transaction, 'answers', cluster, first * MINUTE);
  for (const [day, some] of days) {
    // Held until the end, so that two replicas do not overwrite each other's minutes.
    const [row] = await run(
      transaction,
      sql<Row<'cluster_days', 'answered'>>`insert into cluster_days (cluster, day) values (${cluster}, ${day})
       on conflict (cluster, day) do update set day = excluded.day returning answered`,
    );
    const bits = Buffer.alloc(MINUTES / 8);
    row?.answered?.copy(bits);
    for (const minute of some) {
      const at = minute - day * MINUTES;
      bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (1 << (at & 7));
    }
    if (row?.answered?.equals(bits) === true) continue;
    await run(
      transaction,
      sql`update cluster_days set answered = ${bits} where cluster = ${cluster} and day = ${day}`,
    );
  }
}

/** lastWholeSweep gives when the last sweep over a cluster ended that saw every pod, or null. */
export async function lastWholeSweep(read: Executor, cluster: string): Promise<number | null> {
  const [row] = await run(
    read,
    sql<{ at: number | null }>`select max(last_sweep_at) as at from cluster_days where cluster = ${cluster}`,
  );
  return row?.at ?? null;
}

/** noteSweep counts a sweep over a cluster that ended; only a whole one says what does not run. */
export async function noteSweep(
  transaction: Executor,
  cluster: string,
  at: number,
  whole: boolean,
): Promise<void> {
  await beginRecord(transaction, 'sweeps', cluster, at);
  await run(
    transaction,
    sql`insert into cluster_days (cluster, day, sweeps, partial_sweeps, last_sweep_at) values (${cluster}, ${Math.floor(at / DAY_MS)}, ${whole ? 1 : 0}, ${whole ? 0 : 1}, ${whole ? at : null})
     on conflict (cluster, day) do update set sweeps = cluster_days.sweeps + excluded.sweeps,
       partial_sweeps = cluster_days.partial_sweeps + excluded.partial_sweeps,
       last_sweep_at = case when cluster_days.last_sweep_at is null or excluded.last_sweep_at > cluster_days.last_sweep_at
         then excluded.last_sweep_at else cluster_days.last_sweep_at end`,
  );
}

/**
 * noteAccounted counts a whole sweep, one that `noteSweep` has counted, in which no replica could hold rows: only such a one would have
 * found a pod that was never reviewed.
 */
export async function noteAccounted(transaction: Executor, cluster: string, at: number): Promise<void> {
  await run(
    transaction,
    sql`update cluster_days set accounted_sweeps = accounted_sweeps + 1 where cluster = ${cluster} and day = ${Math.floor(at / DAY_MS)}`,
  );
}

/**
 * noteDetector counts signs of life of the runtime detector, and how its events were joined. What was only dropped, or was counted when it
 * came and is joined now, is not a sign of life.
 */
export async function noteDetector(transaction: Executor, signs: DetectorSigns): Promise<void> {
  const { cluster, at, events, heartbeats, byField = 0, byPod = 0, dropped = 0 } = signs;
  const lives = events + heartbeats > 0 ? at : null;
  if (lives !== null) await beginRecord(transaction, 'detector', cluster, at);
  await run(
    transaction,
    sql`insert into cluster_days (cluster, day, detector_events, detector_heartbeats, detector_last_at, detector_by_field, detector_by_pod, detector_dropped)
     values (${cluster}, ${Math.floor(at / DAY_MS)}, ${events}, ${heartbeats}, ${lives}, ${byField}, ${byPod}, ${dropped})
     on conflict (cluster, day) do update set detector_events = cluster_days.detector_events + excluded.detector_events,
       detector_heartbeats = cluster_days.detector_heartbeats + excluded.detector_heartbeats,
       detector_by_field = cluster_days.detector_by_field + excluded.detector_by_field,
       detector_by_pod = cluster_days.detector_by_pod + excluded.detector_by_pod,
       detector_dropped = cluster_days.detector_dropped + excluded.detector_dropped,
       detector_last_at = case when excluded.detector_last_at is null or cluster_days.detector_last_at > excluded.detector_last_at
         then cluster_days.detector_last_at else excluded.detector_last_at end`,
  );
}
