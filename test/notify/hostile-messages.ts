import { oneLine } from '../../src/base/index.ts';
import { CHANNEL_EVENTS, type ChannelEvent } from '../../src/channels/index.ts';
import {
  composeMessage,
  EVENT_PAYLOADS,
  toSections,
  type Content,
  type Message,
  type Payload,
} from '../../src/notify/index.ts';
import { TEXTS } from './hostile-texts.ts';

const AT = Date.UTC(2026, 10, 24, 6);
const DIGEST = `sha256:${'a1'.repeat(32)}`;

/** A digest is one wherever it comes from: it was checked before. What is not known stays so. */
function poisoned(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.map(() => text);
  return typeof value === 'string' && value !== DIGEST ? text : value;
}

/** hostileContent is what a message tells of events in which a text stands wherever something from outside can. */
export function hostileContent(events: readonly ChannelEvent[], text: string): Content {
  return {
    sections: toSections(
      events.map((event) => {
        const { subject, payload } = EVENT_PAYLOADS[event].sample;
        const fields = Object.entries({ ...payload, fixed: 'fixed' in payload ? text : undefined });
        const item: Payload = Object.fromEntries(
          fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, poisoned(value, text)]])),
        );
        // As the outbox writes it.
        const about = subject === DIGEST ? subject : oneLine(text, 300) || '–';
        return { event, subject: about, count: 1, firstAt: AT, lastAt: AT, items: [item] };
      }),
    ),
    places: {
      [DIGEST]: { name: text, workloads: [{ cluster: text, namespace: text, name: text }], total: 3 },
    },
  };
}

/** hostileMessage words it. */
export function hostileMessage(events: readonly ChannelEvent[], text: string): Message {
  const id = `msg_${'a'.repeat(26)}`;
  return composeMessage(hostileContent(events, text), { id, at: AT, references: [] });
}

/** Hostile is a message with the text in it, and the same message with a harmless word in its place. */
export interface Hostile {
  readonly name: string;
  readonly text: string;
  readonly events: readonly ChannelEvent[];
  readonly message: Message;
  readonly harmless: Message;
}

const HARMLESS = new Map(
  [...CHANNEL_EVENTS.map((event) => [event]), CHANNEL_EVENTS].map((events) => [
    events.join(),
    hostileMessage(events, 'harmless'),
  ]),
);

/** hostileMessages are, for each text, one message about all events and some about one of them, in turn. */
export function* hostileMessages(texts = TEXTS, turns = 2): Generator<Hostile> {
  for (const [at, text] of texts.entries()) {
    const some = Array.from(
      { length: turns },
      (_, n) => CHANNEL_EVENTS[(at * turns + n) % CHANNEL_EVENTS.length] ?? 'critical_finding',
    );
    for (const events of [...some.map((event) => [event]), CHANNEL_EVENTS]) {
      const harmless = HARMLESS.get(events.join());
      if (harmless === undefined) throw new Error(`no harmless message of ${events.join()}`);
      const name = `${JSON.stringify(text.slice(0, 60))} in ${events.length === 1 ? events[0] : 'all events'}`;
      yield { name, text, events, message: hostileMessage(events, text), harmless };
    }
  }
}
