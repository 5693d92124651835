import { sql, type RawBuilder } from 'kysely';
import { clusterFence } from '../../leadership/index.ts';
import type { Happened } from '../../notify/index.ts';
import { parseLossless, toFields, type DecisionStore, type EventDecision } from '../../runtime/index.ts';
import { noteDetector } from '../history/cluster-days.ts';
import { holdFence } from '../leadership/fence.ts';
import { writeEvents } from '../outbox/index.ts';
import { compiled, run, runCompiled, type Executor, type Row } from '../sql/run.ts';
import { StoreError } from '../sql/store-error.ts';
import type { Store } from '../sql/store.ts';
import { toStoredEvent, type EventRow } from './events.ts';
import { readRecorded } from './history.ts';
import { KnownImages, type TrustedKeys } from './known-images.ts';

/** decisionStore keeps what events were decided in a database. Signatures of keys count that `trusted` gives. */
export function decisionStore(store: Store, trusted: TrustedKeys = async () => []): DecisionStore {
  const { read } = store;
  const known = new KnownImages(read, trusted);
  return {
    async undecided(cluster, limit) {
      const rows = await run(
        read,
        sql<EventRow>`select * from runtime_events where decided_at is null and cluster is not distinct from ${nameOf(cluster)} order by id limit ${limit}`,
      );
      return rows.map(toStoredEvent);
    },
    async decidedUpTo(cluster) {
      const rows = await run(
        read,
        sql<
          Row<'runtime_events', 'id'>
        >`select id from runtime_events where decided_at is not null and cluster is not distinct from ${nameOf(cluster)} order by id desc limit 1`,
      );
      return rows[0]?.id ?? 0;
    },
    decided: (cluster, since, all) =>
      readRecorded(read, {
        cluster: nameOf(cluster),
        since,
        // Rules know their events by name; only runtime policies match them once more.
        fields: all ? (text) => toFields(parseLossless(text) as Readonly<Record<string, unknown>>) : null,
        where: all
          ? sql`(digest is not null or matched_rule is not null)`
          : sql`(alerted = 1 or matched_rule is not null)`,
      }),
    images: (digests) => known.of(digests),
    write: (fence, cluster, at, decisions) => {
      // Before the transaction, whose end reviews wait for.
      const updates = decisions.map((one) => ({
        id: one.event.id,
        query: compiled(read, updateOf(one, at)),
      }));
      const alerts = decisions.filter(({ alerted }) => alerted).map((one) => toldOf(cluster, one));
      return store.write(async (transaction) => {
        if (fence !== null) await holdFence(transaction, clusterFence(cluster, fence));
        for (const { id, query } of updates)
          if ((await runCompiled(transaction, query)).length === 0)
            throw new StoreError(
              'conflict',
              `the runtime event ${id} was decided by another process meanwhile`,
            );
        const happened = await writeEvents(transaction, alerts, { at });
        const notified = new Set(happened.map(({ payload }) => payload['event'] as number));
        if (notified.size > 0)
          await run(
            transaction,
            sql`update runtime_events set notified = 1 where id in (${sql.join([...notified])})`,
          );
        await noteJoined(transaction, cluster, decisions);
        return notified;
      });
    },
    async pending(cluster) {
      const rows = await run(
        read,
        sql<EventRow>`select * from runtime_events where policy_effect = 'pending' and cluster is not distinct from ${nameOf(cluster)} order by id`,
      );
      return rows.map(toStoredEvent);
    },
  };
}

function nameOf(cluster: string): string | null {
  return cluster === '' ? null : cluster;
}

function updateOf(
  { event, joined, image, rule, effect, alerted, policy }: EventDecision,
  at: number,
): RawBuilder<Row<'runtime_events', 'id'>> {
  const { basis, digest, namespace, pod, podUid, workload, container } = joined;
  return sql`update runtime_events set decided_at = ${at}, match_basis = ${basis}, digest = ${digest}, image = ${joined.image ?? image.name},
      namespace = ${namespace}, pod = ${pod}, pod_uid = ${podUid}, workload = ${workload}, container = ${container},
      last_verdict = ${image.lastVerdict}, signed = ${image.signed ? 1 : 0}, matched_rule = ${rule}, effect = ${effect},
      policy = ${policy?.name ?? null}, policy_effect = ${policy?.effect ?? null}, alerted = ${alerted ? 1 : 0}, notified = 0
    where id = ${event.id} and decided_at is null returning id`;
}

function toldOf(cluster: string, { event, joined, image }: EventDecision): Happened {
  const { digest, namespace, workload, pod } = joined;
  const host = event.host ?? '';
  return {
    event: 'runtime_alert',
    subject: digest ?? `host ${host}`,
    payload: {
      digest,
      rule: event.rule,
      priority: event.priority,
      output: event.output,
      cluster: nameOf(cluster),
      namespace: namespace ?? '',
      workload,
      pod,
      host,
      image: joined.image ?? image.name,
      event: event.id,
    },
  };
}

async function noteJoined(
  transaction: Executor,
  cluster: string,
  decisions: readonly EventDecision[],
): Promise<void> {
  const days = Map.groupBy(
    decisions.filter(({ event, joined }) => event.kind === 'event' && joined.basis !== 'none'),
    ({ event }) => Math.floor((event.receivedAt ?? event.at) / 86_400_000),
  );
  for (const [day, some] of days) {
    const count = (basis: string): number => some.filter(({ joined }) => joined.basis === basis).length;
    const signs = { events: 0, heartbeats: 0, byField: count('field'), byPod: count('pod') };
    await noteDetector(transaction, { cluster, at: day * 86_400_000, ...signs });
  }
}
