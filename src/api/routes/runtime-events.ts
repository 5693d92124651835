import { formatTime, IpoError, type Clock } from '../../base/index.ts';
import { actorOf, parseLossless, type RuntimeEvents, type StoredEvent } from '../../runtime/index.ts';
import { problemSchema } from '../contract/problem.ts';
import {
  eventPath,
  EVENTS_PAGE,
  eventSchema,
  eventsQuery,
  eventsSchema,
  type EventBody,
} from '../contract/runtime.ts';
import { route, type Route } from '../route.ts';

/** RuntimeEventParts are what the routes of events act through. */
export interface RuntimeEventParts {
  readonly events: RuntimeEvents;
  readonly clock: Clock;
}

/** An event is decided within a second while somebody leads its cluster. */
const DECIDED_WITHIN = 10_000;

/** runtimeEventRoutes read what running containers did. */
export function runtimeEventRoutes({ events, clock }: RuntimeEventParts): Route[] {
  return [
    route({
      key: 'GET /runtime/events',
      id: 'listRuntimeEvents',
      tag: 'runtime',
      summary: 'List events of the runtime detector, newest first',
      description:
        'Always in pages. With `after` the oldest come first, so that somebody can follow what comes: each once it is decided, or ten seconds after it came.',
      query: eventsQuery,
      answers: { 200: { description: 'The events', schema: eventsSchema } },
      work: 'read',
      handle: async ({ query: { limit = EVENTS_PAGE, offset = 0, ...given } }) => {
        const filter = {
          effect: given.effect ?? null,
          rule: given.rule ?? null,
          priority: given.priority ?? null,
          image: given.image ?? null,
          namespace: given.namespace ?? null,
          since: given.since ?? null,
          after: given.after ?? null,
        };
        const undecidedFrom = filter.after === null ? null : clock.now() - DECIDED_WITHIN;
        const { items, total } = await events.list(filter, { limit, offset, undecidedFrom });
        return { body: { items: items.map(toEventBody), total } };
      },
    }),
    route({
      key: 'GET /runtime/events/{id}',
      id: 'showRuntimeEvent',
      tag: 'runtime',
      summary: 'Show one event of the runtime detector',
      params: eventPath,
      answers: {
        200: { description: 'The event', schema: eventSchema },
        404: { description: 'There is none', schema: problemSchema, type: 'application/problem+json' },
      },
      handle: async ({ params: { id } }) => {
        const event = await events.get(id);
        if (event === null)
          throw new IpoError('not_found', `no runtime event has the number ${id}`, {
            hint: 'It may have been deleted after the days of `runtime.retentionDays`',
          });
        return { body: toEventBody(event) };
      },
    }),
  ];
}

function toEventBody(event: StoredEvent): EventBody {
  const { id, kind, time, rule, priority, source, host, output, truncated, cluster } = event;
  const { namespace, workload, pod, container, image, digest, effect, alerted, notified } = event;
  const maybeTime = (ms: number | null): string | null => (ms === null ? null : formatTime(ms));
  return {
    id,
    kind,
    at: formatTime(event.at),
    received_at: maybeTime(event.receivedAt),
    time,
    rule,
    priority,
    source,
    host,
    output,
    tags: [...event.tags],
    output_fields: event.fields === null ? null : (parseLossless(event.fields) as Record<string, unknown>),
    truncated,
    cluster,
    namespace,
    workload,
    pod,
    pod_uid: event.podUid,
    container,
    image,
    digest,
    match_basis: event.basis,
    last_verdict: event.lastVerdict,
    signed: event.signed,
    matched: actorOf(event),
    matched_rule: event.matchedRule,
    effect,
    policy: event.policy,
    policy_effect: event.policyEffect,
    alerted,
    notified,
    decided_at: maybeTime(event.decidedAt),
  };
}
