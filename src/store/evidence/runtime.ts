import { sql, type RawBuilder } from 'kysely';
import { byCodeUnit, formatTime } from '../../base/index.ts';
import type { EvidenceRequest, RuntimeSection } from '../../evidence/index.ts';
import { actorOf, EFFECTS } from '../../runtime/index.ts';
import { run, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** Decisions and raw events that a package lists at most. */
const MAX_DECISIONS = 500;
const MAX_RAW = 5000;
/** Characters of them: they are in memory at once, with the document that has them. */
const MAX_RAW_TEXT = 16_000_000;
const PAGE = 200;

/** runtimeSection reads what the runtime tables hold of a request. Tests of the connection and signs of life are not events. */
export async function runtimeSection(store: Store, request: EvidenceRequest): Promise<RuntimeSection> {
  const wanted = wantedBy(request);
  const within = sql`kind = 'event' and ${wanted}`;
  const counts = async (column: string): Promise<Record<string, number>> => {
    const found = await run(
      store.read,
      sql<{
        name: string | null;
        count: number;
      }>`select ${sql.ref(column)} as name, count(*) as count from runtime_events where ${within} group by ${sql.ref(column)}`,
    );
    return inOrder(found.map(({ name, count }) => [name ?? 'none', count]));
  };
  const joined = await counts('match_basis');
  const decided = sql`${within} and (policy is not null or effect in ('allow', 'notify', 'issue', 'stop'))`;
  const [total] = await run(
    store.read,
    sql<{ count: number }>`select count(*) as count from runtime_events where ${decided}`,
  );
  const decisions = await run(
    store.read,
    sql<EventRow>`select * from runtime_events where ${decided} order by at desc, id desc limit ${MAX_DECISIONS}`,
  );
  return {
    rules: await rulesOf(store, within),
    policies: await policiesOf(store),
    events: Object.values(joined).reduce((sum, count) => sum + count, 0),
    joined,
    by_effect: await counts('effect'),
    stops: await stopsOf(store, wanted),
    decisions_total: total?.count ?? 0,
    decisions: decisions.map(toDecision),
    raw: request.includeRuntimeRaw ? await rawEvents(store, within) : null,
  };
}

/** The newest events as they are stored, up to their bounds. */
async function rawEvents(store: Store, within: RawBuilder<unknown>): Promise<readonly RawEvent[]> {
  const events: RawEvent[] = [];
  let after = sql`1 = 1`;
  for (let text = 0; ;) {
    const page = await run(
      store.read,
      sql<EventRow>`select * from runtime_events where ${within} and ${after} order by at desc, id desc limit ${PAGE}`,
    );
    for (const event of page) {
      text += event.output.length + (event.fields?.length ?? 0);
      if (events.length === MAX_RAW || text > MAX_RAW_TEXT) return events;
      events.push(toRaw(event));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return events;
    after = sql`(at < ${last.at} or (at = ${last.at} and id < ${last.id}))`;
  }
}

type RawEvent = Readonly<Record<string, unknown>>;

/** Output fields stay the text that was stored: their numbers are longer than most readers of JSON keep. */
function toRaw(event: EventRow): RawEvent {
  const { source, output, host, time, fields, tags, workload, pod_uid, truncated, received_at } = event;
  return {
    ...toDecision(event),
    ...{ source, output, host, time, workload, pod_uid, output_fields: fields },
    tags: tags === null ? [] : (JSON.parse(tags) as unknown),
    truncated: truncated === 1,
    received_at: received_at === null ? null : formatTime(received_at),
  };
}

/** What happened in the period, in the clusters and namespaces that were asked for. */
function wantedBy({ from, to, clusters, namespaces }: EvidenceRequest): RawBuilder<unknown> {
  const one = (column: string, names: readonly string[]): RawBuilder<unknown>[] =>
    names.length === 0 ? [] : [sql`${sql.ref(column)} in (${sql.join(names)})`];
  const conditions = [
    sql`at between ${from} and ${to}`,
    ...one('cluster', clusters),
    ...one('namespace', namespaces),
  ];
  return sql.join(conditions, sql` and `);
}

type EventRow = Row<
  'runtime_events',
  | 'id'
  | 'at'
  | 'rule'
  | 'priority'
  | 'effect'
  | 'matched_rule'
  | 'policy'
  | 'policy_effect'
  | 'cluster'
  | 'namespace'
  | 'pod'
  | 'container'
  | 'digest'
  | 'image'
  | 'match_basis'
  | 'source'
  | 'output'
  | 'host'
  | 'time'
  | 'fields'
  | 'tags'
  | 'workload'
  | 'pod_uid'
  | 'truncated'
  | 'received_at'
>;

/** A stop shows under the name of its policy; the rule that decided stands beside it. */
function toDecision(event: EventRow): Readonly<Record<string, unknown>> {
  return {
    at: formatTime(event.at),
    rule: event.rule,
    priority: event.priority,
    effect: event.effect,
    matched: actorOf({
      matchedRule: event.matched_rule,
      policy: event.policy,
      policyEffect: event.policy_effect,
    }),
    matched_rule: event.matched_rule,
    policy: event.policy,
    policy_effect: event.policy_effect,
    cluster: event.cluster,
    namespace: event.namespace,
    pod: event.pod,
    container: event.container,
    image: event.image,
    digest: event.digest,
    match_basis: event.match_basis,
  };
}

async function rulesOf(store: Store, within: RawBuilder<unknown>): Promise<RuntimeSection['rules']> {
  const rules = await run(
    store.read,
    sql<
      Row<'runtime_rules', 'name' | 'enabled' | 'action' | 'match'>
    >`select name, enabled, action, match from runtime_rules order by place, id`,
  );
  const found = await run(
    store.read,
    sql<{
      name: string;
      effect: string | null;
      count: number;
    }>`select matched_rule as name, effect, count(*) as count from runtime_events
      where ${within} and matched_rule is not null group by matched_rule, effect`,
  );
  const byRule = Map.groupBy(found, ({ name }) => name);
  return rules.map(({ name, enabled, action, match }) => {
    const of = byRule.get(name) ?? [];
    const strongest = Math.max(-1, ...of.map(({ effect }) => EFFECTS.findIndex((one) => one === effect)));
    const events = of.reduce((sum, { count }) => sum + count, 0);
    return {
      name,
      enabled: enabled === 1,
      action,
      match: JSON.parse(match) as unknown,
      effect: EFFECTS[strongest] ?? null,
      events,
    };
  });
}

async function policiesOf(store: Store): Promise<RuntimeSection['policies']> {
  const found = await run(
    store.read,
    sql<
      Row<'runtime_policies', 'name' | 'document' | 'enabled'>
    >`select name, document, enabled from runtime_policies`,
  );
  return found
    .toSorted((a, b) => byCodeUnit(a.name, b.name))
    .map(({ name, document, enabled }) => ({
      name,
      enabled: enabled === 1,
      document: JSON.parse(document) as unknown,
    }));
}

/** A sweep of the reconciliation stops pods as well, for no event. */
async function stopsOf(store: Store, wanted: RawBuilder<unknown>): Promise<Record<string, number>> {
  const found = await run(
    store.read,
    sql<
      Row<'pod_stops', 'outcome'> & { count: number }
    >`select outcome, count(*) as count from pod_stops where ${wanted} and event_id is not null group by outcome`,
  );
  return inOrder(found.map(({ outcome, count }) => [outcome, count]));
}

function inOrder(counts: readonly (readonly [string, number])[]): Record<string, number> {
  return Object.fromEntries(counts.toSorted(([a], [b]) => byCodeUnit(a, b)));
}
