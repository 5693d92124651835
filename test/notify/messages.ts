import { CHANNEL_EVENTS, type ChannelEvent } from '../../src/channels/index.ts';
import {
  EVENT_PAYLOADS,
  sampleContent,
  sampleMessage,
  type Message,
  type Payload,
} from '../../src/notify/index.ts';

/** PAYLOADS are what each event says, with its subject. */
export const PAYLOADS: Readonly<Record<ChannelEvent, readonly [subject: string, payload: Payload]>> =
  Object.fromEntries(
    CHANNEL_EVENTS.map((event) => {
      const { subject, payload } = EVENT_PAYLOADS[event].sample;
      return [event, [subject, payload] as const];
    }),
  ) as Record<ChannelEvent, readonly [string, Payload]>;

/** contentOf gives the content of a message about one occurrence of each event that is named. */
export const contentOf = sampleContent;

/** messageOf gives a message about events. */
export function messageOf(...events: readonly ChannelEvent[]): Message {
  return sampleMessage(events);
}

/** EVERY is a message about each event, by its name. */
export const EVERY: ReadonlyMap<ChannelEvent, Message> = new Map(
  CHANNEL_EVENTS.map((event) => [event, messageOf(event)]),
);
