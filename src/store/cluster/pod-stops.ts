import { sql } from 'kysely';
import { DAY_MS, formatTime } from '../../base/index.ts';
import { clusterFence } from '../../leadership/index.ts';
import {
  STOP_PERIOD,
  WORKLOAD_PERIOD,
  type BegunStop,
  type StopAttempt,
  type StopCounts,
  type StopLog,
  type WithheldDraft,
} from '../../runtime/index.ts';
import { underFence } from '../leadership/fence.ts';
import { writeEvents } from '../outbox/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** Characters of a fault that are kept. */
const MAX_FAULT = 2000;
/** A withheld stop of one workload and policy is told once in so long. */
const TOLD_PERIOD = DAY_MS;
/** What an attempt says until its end is written. */
export const NO_ANSWER = 'the process ended before the answer';

/** podStopLog keeps attempts to stop pods for events in a database. */
export function podStopLog(store: Store): StopLog {
  return {
    counts: (attempt) => countStops(store.read, attempt),
    begin: (fence, attempt, standing, answer, draft) =>
      underFence(store, clusterFence(attempt.cluster, fence), async (transaction) => {
        const before = await findAttempt(transaction, attempt);
        if (before !== null) return before;
        if (standing !== null) return settle(transaction, attempt, standing, null);
        const { event } = attempt;
        const said = answer(await countStops(transaction, attempt));
        if (said.kind === 'would_stop') {
          await noteEffect(transaction, event.id, 'would_stop');
          return { kind: 'settled', outcome: 'would_stop', why: null };
        }
        if (said.kind === 'withheld') {
          if (await isFirst(transaction, attempt)) await tell(transaction, attempt, said.why, draft);
          return settle(transaction, attempt, 'withheld', said.why);
        }
        const id = await insert(transaction, attempt, 'failed', NO_ANSWER);
        await audit(transaction, attempt, {});
        return { kind: 'begun', id };
      }),
    end: (id, eventId, outcome, fault) =>
      store.write(async (transaction) => {
        await run(
          transaction,
          sql`update pod_stops set outcome = ${outcome}, last_error = ${cut(fault)} where id = ${id}`,
        );
        await noteEffect(transaction, eventId, outcome === 'stopped' ? 'stop' : outcome);
      }),
  };
}

/**
 * stopsWithin counts the pods of a cluster that were stopped since a time, or may have been: for events and by sweeps. What a clock that was
 * ahead has written counts too.
 */
export async function stopsWithin(executor: Executor, cluster: string, since: number): Promise<number> {
  const [row] = await run(
    executor,
    sql<{
      count: number;
    }>`select count(*) as count from pod_stops where cluster = ${cluster} and at > ${since} and outcome in ('stopped', 'failed')`,
  );
  return row?.count ?? 0;
}

async function countStops(
  executor: Executor,
  { at, cluster, event: { namespace, workload } }: StopAttempt,
): Promise<StopCounts> {
  const [row] = await run(
    executor,
    sql<{
      count: number;
    }>`select count(*) as count from pod_stops where cluster = ${cluster} and namespace = ${namespace ?? ''} and workload is not distinct from ${workload}
       and at > ${at - WORKLOAD_PERIOD} and outcome in ('stopped', 'failed')`,
  );
  return { stops: await stopsWithin(executor, cluster, at - STOP_PERIOD), workloadStops: row?.count ?? 0 };
}

/** What stands of the stop of this event and pod; one that has no end yet is taken up. */
async function findAttempt(transaction: Executor, { event }: StopAttempt): Promise<BegunStop | null> {
  const [row] = await run(
    transaction,
    sql<
      Row<'pod_stops', 'id' | 'outcome' | 'last_error'>
    >`select id, outcome, last_error from pod_stops where event_id = ${event.id} and pod_uid = ${event.podUid ?? ''}`,
  );
  if (row === undefined) return null;
  const isOpen = row.outcome === 'failed' && row.last_error === NO_ANSWER;
  return isOpen ? { kind: 'resumed', id: row.id } : { kind: 'done' };
}

async function insert(
  transaction: Executor,
  { at, cluster, policy, stopMode, event }: StopAttempt,
  outcome: string,
  fault: string | null,
): Promise<number> {
  const { id, namespace, pod, podUid, digest, workload } = event;
  const [row] = await run(
    transaction,
    sql<
      Row<'pod_stops', 'id'>
    >`insert into pod_stops (at, policy, event_id, cluster, namespace, pod, pod_uid, digest, stop_mode, outcome, last_error, workload)
      values (${at}, ${policy}, ${id}, ${cluster}, ${namespace ?? ''}, ${pod ?? ''}, ${podUid ?? ''}, ${digest}, ${stopMode}, ${outcome}, ${cut(fault)}, ${workload}) returning id`,
  );
  if (row === undefined) throw new Error('an attempt to stop a pod was not recorded');
  return row.id;
}

async function settle(
  transaction: Executor,
  attempt: StopAttempt,
  outcome: 'gone' | 'changed' | 'withheld',
  why: string | null,
): Promise<BegunStop> {
  await insert(transaction, attempt, outcome, why);
  await noteEffect(transaction, attempt.event.id, outcome);
  return { kind: 'settled', outcome, why };
}

/** The strongest effect of an event is that it stopped its pod. */
async function noteEffect(transaction: Executor, id: number, effect: string): Promise<void> {
  await run(
    transaction,
    effect === 'stop'
      ? sql`update runtime_events set policy_effect = 'stop', effect = 'stop' where id = ${id}`
      : sql`update runtime_events set policy_effect = ${effect} where id = ${id}`,
  );
}

/** Whether no other stop was withheld for this workload and policy within an hour: an audit entry for each would be a flood. */
async function isFirst(transaction: Executor, { at, cluster, policy, event }: StopAttempt): Promise<boolean> {
  const rows = await run(
    transaction,
    sql`select id from pod_stops where cluster = ${cluster} and policy = ${policy} and namespace = ${event.namespace ?? ''}
      and workload is not distinct from ${event.workload} and outcome = 'withheld' and at > ${at - WORKLOAD_PERIOD} limit 1`,
  );
  return rows.length === 0;
}

async function audit(
  transaction: Executor,
  { at, cluster, policy, event }: StopAttempt,
  more: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { id, namespace, pod, podUid, digest, workload, rule } = event;
  const detail = { pod_uid: podUid, policy, cluster, digest, workload, event_id: id, rule, ...more };
  await run(
    transaction,
    sql`insert into audit (at, actor, action, target, detail) values (${at}, '', 'runtime_pod_stop', ${`${namespace ?? '–'}/${pod ?? '–'}`}, ${JSON.stringify(detail)})`,
  );
}

async function tell(
  transaction: Executor,
  attempt: StopAttempt,
  withheld: string,
  draft: WithheldDraft | null,
): Promise<void> {
  const { at, cluster, policy, event } = attempt;
  const { namespace, pod, digest, rule } = event;
  const workload = event.workload ?? `pod/${pod ?? ''}`;
  const drafted = draft !== null && { draft: draft.policy, draft_effect: draft.effect };
  await audit(transaction, attempt, { outcome: 'withheld', withheld, ...drafted });
  const told = {
    event: 'pod_stop_withheld',
    subject: [cluster, namespace ?? '', workload, policy].join('/'),
    throttleKey: `pod_stop_withheld ${cluster} ${namespace ?? ''}/${workload} ${policy} ${digest ?? ''}`,
    payload: {
      cluster,
      at: formatTime(at),
      namespace: namespace ?? '',
      workload,
      pod: pod ?? '',
      policy,
      digest,
      reason: `the detector reported "${rule}"`,
      withheld,
      ...drafted,
    },
  } as const;
  await writeEvents(transaction, [told], { at, period: TOLD_PERIOD });
}

function cut(fault: string | null): string | null {
  return fault?.slice(0, MAX_FAULT).toWellFormed() ?? null;
}
