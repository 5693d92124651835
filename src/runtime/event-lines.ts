import { parseEvent } from './event.ts';
import { joinEvent, withTag, type PodsNow } from './join.ts';
import type { RecordedEvent } from './whatif.ts';

/** EventLines are the events of a file, and the lines that hold none. */
export interface EventLines {
  readonly events: readonly RecordedEvent[];
  readonly faults: readonly { readonly line: number; readonly fault: string }[];
}

/** Nothing runs where there is no service: a digest that an event names is believed, since nothing is stopped by it. */
const BELIEVED: PodsNow = {
  byUid: () => null,
  byName: () => null,
  byContainer: () => null,
  imageOf: (digest) => digest,
};

/** readEventLines reads Falco's own JSON lines, in the order of their times; the same event twice is one. */
export function readEventLines(text: string): EventLines {
  const events: RecordedEvent[] = [];
  const faults: { line: number; fault: string }[] = [];
  const keys = new Set<string>();
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') return;
    const event = parseEvent(line, null);
    if ('fault' in event) {
      faults.push({ line: i + 1, fault: event.fault });
      return;
    }
    if (keys.has(event.key)) return;
    keys.add(event.key);
    events.push(toRecorded(event, i + 1));
  });
  // Several nodes write one file, each in its own order.
  return { events: events.toSorted((a, b) => a.subject.at - b.subject.at), faults };
}

/** toRecorded makes an event that nothing decided a subject of rules. */
export function toRecorded(
  event: Exclude<ReturnType<typeof parseEvent>, { fault: string }>,
  id: number,
): RecordedEvent {
  const { digest, image, namespace, pod, podUid, workload } = joinEvent(event, BELIEVED);
  const repository = event.fields.get('container.image.repository') ?? null;
  const tag = event.fields.get('container.image.tag') ?? null;
  const named = repository === null ? image : withTag(repository, tag);
  const { kind, at, rule, priority, source, tags, fields, host } = event;
  return {
    id,
    subject: {
      kind,
      at,
      rule,
      priority,
      source,
      tags,
      fields,
      host,
      digest,
      namespace,
      lastVerdict: 'none',
      signed: false,
    },
    rule: null,
    effect: null,
    alerted: false,
    recorded: null,
    image: named,
    pod,
    podUid: podUid ?? event.fields.get('k8s.pod.uid') ?? null,
    workload,
  };
}
