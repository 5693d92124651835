import type { EventBody } from '../../src/api/contract/runtime.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { parseTime } from '../../src/base/index.ts';
import { parsePriority, toFields, type RecordedEvent } from '../../src/runtime/index.ts';

/** EventPage is a page of events as the service answers it. */
export interface EventPage {
  readonly items: readonly EventBody[];
  readonly total: number;
}

/** Events of one call. */
const PAGE = 1000;

/** readStoredEvents reads events of a service, the newest first, page by page, and at most so many; `total` counts all that there are. */
export async function readStoredEvents(
  service: ServiceClient,
  query: Readonly<Record<string, string | number | undefined>>,
  most: number,
): Promise<{ readonly events: readonly RecordedEvent[]; readonly total: number }> {
  const events: RecordedEvent[] = [];
  let total = 0;
  // What comes meanwhile shifts pages: an event that was on the last page is not counted again.
  const seen = new Set<number>();
  for (let offset = 0; offset < most; offset += PAGE) {
    const page = { limit: Math.min(PAGE, most - offset), offset };
    const { body } = await service.json<EventPage>('GET /runtime/events', { query: { ...query, ...page } });
    total = Math.max(total, body.total);
    for (const event of body.items) if (!seen.has(event.id)) events.push(toRecordedEvent(event));
    for (const { id } of body.items) seen.add(id);
    if (body.items.length < page.limit) break;
  }
  return { events, total };
}

/** toRecordedEvent gives an event as rules judge it. */
function toRecordedEvent(event: EventBody): RecordedEvent {
  const { id, kind, rule, host, digest, namespace, effect, alerted, image, pod, workload, matched_rule } =
    event;
  return {
    id,
    subject: {
      kind,
      at: parseTime(event.at),
      rule,
      priority: parsePriority(event.priority) ?? 'Debug',
      source: event.source ?? '',
      tags: event.tags,
      host: host ?? '',
      digest,
      namespace,
      fields: toFields(event.output_fields ?? {}),
      lastVerdict: event.last_verdict ?? 'none',
      signed: event.signed ?? false,
    },
    rule: matched_rule,
    effect,
    alerted,
    recorded: effect,
    image,
    pod,
    podUid: event.pod_uid,
    workload,
  };
}
