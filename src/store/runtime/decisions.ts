import { sql } from 'kysely';
import { clusterFence } from '../../leadership/index.ts';
import type { Happened } from '../../notify/index.ts';
import {
  parseLossless,
  toFields,
  type DecisionStore,
  type EventDecision,
  type KnownImage,
} from '../../runtime/index.ts';
import { noteDetector } from '../history/cluster-days.ts';
import { holdFence } from '../leadership/fence.ts';
import { writeEvents } from '../outbox/index.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import { StoreError } from '../sql/store-error.ts';
import type { Store } from '../sql/store.ts';
import { toStoredEvent, type EventRow } from './events.ts';
import { readRecorded } from './history.ts';

/** decisionStore keeps what events were decided in a database. */
export function decisionStore(store: Store): DecisionStore {
  const { read } = store;
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
    images: (digests) => images(read, digests),
    write: (fence, cluster, at, decisions) =>
      store.write(async (transaction) => {
        if (fence !== null) await holdFence(transaction, clusterFence(cluster, fence));
        const alerts = decisions.filter(({ alerted }) => alerted);
        const happened = await writeEvents(
          transaction,
          alerts.map((one) => toldOf(cluster, one)),
          { at },
        );
        const notified = new Set(happened.map(({ payload }) => payload['event'] as number));
        for (const one of decisions) await writeOne(transaction, one, at, notified.has(one.event.id));
        await noteJoined(transaction, cluster, decisions);
        return notified;
      }),
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

async function images(read: Executor, digests: readonly string[]): Promise<ReadonlyMap<string, KnownImage>> {
  const known = new Map<string, KnownImage>();
  for (const marks of inLists(digests)) {
    const rows = await run(
      read,
      sql<
        Row<'images', 'digest' | 'last_allowed'> & { signatures: string | null; name: string | null }
      >`select i.digest, i.last_allowed, p.signatures,
          (select n.name from image_names n where n.digest = i.digest order by n.last_seen_at desc, n.name limit 1) as name
        from images i left join image_proofs p on p.digest = i.digest where i.digest in (${marks})`,
    );
    for (const { digest, last_allowed: allowed, signatures, name } of rows)
      known.set(digest, {
        name,
        lastVerdict: verdictOf(allowed),
        signed: signatures !== null && signatures !== '[]',
      });
  }
  return known;
}

function verdictOf(allowed: number | null): 'none' | 'allowed' | 'refused' {
  if (allowed === null) return 'none';
  return allowed === 1 ? 'allowed' : 'refused';
}

async function writeOne(
  transaction: Executor,
  { event, joined, image, rule, effect, alerted, policy }: EventDecision,
  at: number,
  notified: boolean,
): Promise<void> {
  const { basis, digest, namespace, pod, podUid, workload, container } = joined;
  const rows = await run(
    transaction,
    sql`update runtime_events set decided_at = ${at}, match_basis = ${basis}, digest = ${digest}, image = ${joined.image ?? image.name},
        namespace = ${namespace}, pod = ${pod}, pod_uid = ${podUid}, workload = ${workload}, container = ${container},
        last_verdict = ${image.lastVerdict}, signed = ${image.signed ? 1 : 0}, matched_rule = ${rule}, effect = ${effect},
        policy = ${policy?.name ?? null}, policy_effect = ${policy?.effect ?? null}, alerted = ${alerted ? 1 : 0}, notified = ${notified ? 1 : 0}
      where id = ${event.id} and decided_at is null returning id`,
  );
  if (rows.length === 0)
    throw new StoreError(
      'conflict',
      `the runtime event ${event.id} was decided by another process meanwhile`,
    );
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
