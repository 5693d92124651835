import { sql, type RawBuilder, type Selectable } from 'kysely';
import {
  isAtLeast,
  PRIORITIES,
  readLastVerdict,
  stopperOf,
  type EventFilter,
  type RuntimeEvents,
  type StoredEvent,
} from '../../runtime/index.ts';
import { run, type Executor } from '../sql/run.ts';
import { containing } from '../sql/search.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';

/** EventRow is an event as it stands in its table. */
export type EventRow = Selectable<Tables['runtime_events']>;

/** runtimeEvents reads events of a database. */
export function runtimeEvents(store: Store): RuntimeEvents {
  const { read } = store;
  return {
    async list(filter, { limit, offset, undecidedFrom = null }) {
      const where = sql.join([whereOf(filter), ...heldBack(filter, undecidedFrom)], sql` and `);
      const order = filter.after === null ? sql`desc` : sql`asc`;
      const [counted] = await run(
        read,
        sql<{ total: number }>`select count(*) as total from runtime_events where ${where}`,
      );
      const items = await some(
        read,
        sql`where ${where} order by id ${order} limit ${limit} offset ${offset}`,
      );
      return { items, total: counted?.total ?? 0 };
    },
    get: async (id) => (await some(read, sql`where id = ${id}`))[0] ?? null,
  };
}

async function some(read: Executor, tail: RawBuilder<unknown>): Promise<readonly StoredEvent[]> {
  const rows = await run(read, sql<EventRow>`select * from runtime_events ${tail}`);
  return rows.map(toStoredEvent);
}

/** Events are found by their numbers, which grow as they come; one whose own time is behind may come a day later. */
function whereOf(filter: EventFilter): RawBuilder<unknown> {
  const { effect, rule, priority, image, namespace, since, after } = filter;
  const parts: RawBuilder<unknown>[] = [sql`id > ${after ?? 0}`];
  if (since !== null) parts.push(sql`at >= ${Math.ceil(since)}`);
  if (effect !== null) parts.push(sql`effect = ${effect}`);
  if (rule !== null) {
    const stopper = stopperOf(rule);
    const stopped = stopper === null ? sql`` : sql` or (policy = ${stopper} and policy_effect = 'stop')`;
    parts.push(sql`(rule = ${rule} or matched_rule = ${rule}${stopped})`);
  }
  if (namespace !== null) parts.push(sql`namespace = ${namespace}`);
  if (image !== null)
    parts.push(sql`(digest = ${image} or lower(image) like ${containing(image)} escape '\\')`);
  if (priority !== null)
    parts.push(sql`priority in (${sql.join(PRIORITIES.filter((one) => isAtLeast(one, priority)))})`);
  return sql.join(parts, sql` and `);
}

/** Leaders of other clusters decide at their own pace: what is given before an earlier event is decided would be missed by filters. */
function heldBack({ after }: EventFilter, from: number | null): readonly RawBuilder<unknown>[] {
  if (from === null) return [];
  return [
    sql`id < coalesce((select min(u.id) from runtime_events u
      where u.decided_at is null and u.id > ${after ?? 0} and u.received_at >= ${Math.ceil(from)}), ${Number.MAX_SAFE_INTEGER})`,
  ];
}

/** toStoredEvent reads a row. */
export function toStoredEvent(row: EventRow): StoredEvent {
  const { id, at, time, rule, priority, source, host, output, cluster, namespace, pod, container } = row;
  return {
    id,
    at,
    time,
    rule,
    priority,
    source,
    host,
    output,
    cluster,
    namespace,
    pod,
    container,
    kind: row.kind === 'heartbeat' || row.kind === 'test' ? row.kind : 'event',
    receivedAt: row.received_at,
    tags: row.tags === null ? [] : (JSON.parse(row.tags) as readonly string[]),
    fields: row.fields,
    truncated: row.truncated === 1,
    podUid: row.pod_uid,
    workload: row.workload,
    image: row.image,
    digest: row.digest,
    basis: row.match_basis,
    lastVerdict: row.last_verdict === null ? null : readLastVerdict(row.last_verdict),
    signed: row.signed === null ? null : row.signed === 1,
    matchedRule: row.matched_rule,
    effect: row.effect,
    policy: row.policy,
    policyEffect: row.policy_effect,
    alerted: row.alerted === 1,
    notified: row.notified === 1,
    decidedAt: row.decided_at,
  };
}
