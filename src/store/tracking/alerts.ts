import { sql, type RawBuilder } from 'kysely';
import { QUIET_MS, type AlertCandidate, type NewClaim } from '../../trackers/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import { parseNames } from './rows.ts';

const DAY = 86_400_000;

/**
 * The condition that an alert, the row called `e` of `runtime_events`, was filed: its image and rule have an open row, or one that was closed
 * after the alert was decided.
 */
const FILED = sql`exists (
    select 1 from tracking b where b.kind = 'runtime' and b.digest = e.digest and b.rule = e.rule
      and (b.state = 'open' or b.closed_at >= e.decided_at)
  )`;

const waiting = (at: number): RawBuilder<unknown> =>
  sql`e.alerted = 1 and e.digest is not null and e.at > ${at - QUIET_MS} and not ${FILED}`;

/** readAlerts gives images and rules of alerts for which nothing was filed, in the order of their first alerts. */
export async function readAlerts(read: Executor, at: number): Promise<AlertCandidate[]> {
  const rows = await run(
    read,
    sql<{
      digest: string;
      rule: string;
    }>`select e.digest, e.rule from runtime_events e where ${waiting(at)} group by e.digest, e.rule order by min(e.id)`,
  );
  return rows.map(({ digest, rule }) => ({ digest, rule }));
}

/** claimAlert makes the row of a runtime alert, and gives its marker; null when nothing is to be filed any more. The fence keeps others out. */
export async function claimAlert(
  transaction: Executor,
  claim: NewClaim,
  { digest, rule }: AlertCandidate,
): Promise<string | null> {
  const same = sql`e.digest = ${digest} and e.rule = ${rule}`;
  // What a tracker has already is noted, however long ago it alerted.
  const wanted = claim.filed === true ? sql`e.alerted = 1 and not ${FILED}` : waiting(claim.at);
  const [newest] = await run(
    transaction,
    sql<
      Row<'runtime_events', 'image' | 'priority'>
    >`select e.image, e.priority from runtime_events e where ${same} and ${wanted} order by e.id desc limit 1`,
  );
  if (newest === undefined) return null;
  const [last] = await run(
    transaction,
    sql<{ at: number | null }>`select max(e.at) as at from runtime_events e where ${same}`,
  );
  const seen = await run(
    transaction,
    sql<{
      cluster: string;
    }>`select distinct e.cluster from runtime_events e where ${same} and e.alerted = 1 and e.cluster is not null order by e.cluster`,
  );
  const clusters = JSON.stringify(seen.map(({ cluster }) => cluster));
  const [earlier] = await run(
    transaction,
    sql<{
      generation: number | null;
    }>`select max(generation) as generation from tracking where kind = 'runtime' and digest = ${digest} and rule = ${rule}`,
  );
  const generation = (earlier?.generation ?? 0) + 1;
  const [made] = await run(
    transaction,
    sql<
      Row<'tracking', 'id'>
    >`insert into tracking (kind, digest, rule, generation, channel_id, channel_kind, image, clusters, severity, state, claimed_at, last_event_at)
      values ('runtime', ${digest}, ${rule}, ${generation}, ${claim.channelId}, ${claim.channelKind}, ${newest.image}, ${clusters},
        ${newest.priority}, 'open', ${claim.at}, ${last?.at ?? null}) returning id`,
  );
  if (made === undefined) throw new Error('a row was not made');
  const marker = claim.marker(made.id, generation);
  await run(transaction, sql`update tracking set marker = ${marker} where id = ${made.id}`);
  return marker;
}

/**
 * noteFiled gives the alerts that rows were made for the effect `issue`, unless a stop, which is stronger, came of them. They count as
 * notified; how many did not before is given.
 */
export async function noteFiled(
  transaction: Executor,
  rows: readonly Row<'tracking', 'kind' | 'digest' | 'rule'>[],
): Promise<number> {
  let notified = 0;
  for (const { digest, rule } of rows.filter(({ kind }) => kind === 'runtime')) {
    const told = sql`alerted = 1 and digest = ${digest} and rule = ${rule} and not exists (
        select 1 from tracking b where b.kind = 'runtime' and b.digest = runtime_events.digest and b.rule = runtime_events.rule
          and b.closed_at >= runtime_events.decided_at
      )`;
    const [untold] = await run(
      transaction,
      sql<{ count: number }>`select count(*) as count from runtime_events where ${told} and notified = 0`,
    );
    notified += untold?.count ?? 0;
    await run(
      transaction,
      sql`update runtime_events set notified = 1, effect = case when effect = 'notify' then 'issue' else effect end where ${told}`,
    );
  }
  return notified;
}

/** noteEvents brings the time of the last event up to date on open rows: it outlives the event. */
export async function noteEvents(transaction: Executor): Promise<void> {
  const last = sql`(select max(e.at) from runtime_events e where e.digest = tracking.digest and e.rule = tracking.rule)`;
  await run(
    transaction,
    sql`update tracking set last_event_at = ${last}
      where kind = 'runtime' and state = 'open' and ${last} > coalesce(last_event_at, 0)`,
  );
}

/**
 * readHeard gives when the detector was heard last, by row: of the clusters that a row lists the one where that is longest ago. Rows of which
 * one was not heard for two days before the newest event of all are left out.
 */
export async function readHeard(
  read: Executor,
  rows: readonly Row<'tracking', 'id' | 'clusters'>[],
): Promise<ReadonlyMap<number, number>> {
  const heard = new Map<number, number>();
  if (rows.length === 0) return heard;
  const forgotten = await run(
    read,
    sql<Row<'clusters', 'name'>>`select name from clusters where forgotten_at is not null`,
  );
  const gone = new Set(forgotten.map(({ name }) => name));
  const known = new Map<string | null, number | null>();
  for (const { id, clusters } of rows) {
    const listed = parseNames(clusters);
    const left: (string | null)[] = listed.filter((name) => !gone.has(name));
    const times: (number | null)[] = [];
    for (const cluster of listed.length === 0 ? [null] : left) {
      if (!known.has(cluster)) known.set(cluster, await lastOf(read, cluster));
      times.push(known.get(cluster) ?? null);
    }
    // Where every cluster was removed nothing more can come.
    const earliest = times.includes(null) ? null : Math.min(...times.map(Number), Number.MAX_SAFE_INTEGER);
    if (earliest !== null) heard.set(id, earliest);
  }
  return heard;
}

/** Bounded, since the events of another cluster are walked over. */
async function lastOf(read: Executor, cluster: string | null): Promise<number | null> {
  const [newest] = await run(
    read,
    sql<Row<'runtime_events', 'at'>>`select at from runtime_events
      where at > (select max(at) from runtime_events) - ${2 * DAY} and cluster is not distinct from ${cluster} order by at desc limit 1`,
  );
  return newest?.at ?? null;
}
