import { CHANNEL_EVENTS, type ChannelEvent } from '../../src/channels/index.ts';
import { EVENT_PAYLOADS } from '../../src/notify/index.ts';
import { channelStore, type Store } from '../../src/store/index.ts';
import { rowsOf } from '../store/image-records.ts';

/** subscribe makes a webhook channel that is told of events, of every one unless they are named. */
export async function subscribe(
  store: Store,
  id = 'desk',
  events: readonly ChannelEvent[] = CHANNEL_EVENTS,
  settings: Readonly<Record<string, unknown>> = { webhookUrl: 'https://hooks.example.com/desk' },
  kind: 'webhook' | 'slack' | 'teams' | 'email' = 'webhook',
): Promise<void> {
  const made = await channelStore(store).create(id, {
    ...{ kind, name: id, enabled: true, subscriptions: events, settings },
    ...{ credential: null, at: 1, by: null },
  });
  if (made === 'taken') throw new Error(`there is a channel ${id} already`);
}

/** checkPayloads holds all that channels are told next against the documented payload of its event; gives the events. */
export async function checkPayloads(store: Store): Promise<readonly ChannelEvent[]> {
  const rows = await rowsOf(store, 'select event, items from outbox order by id');
  return rows.map(({ event: name, items }) => {
    const event = CHANNEL_EVENTS.find((one) => one === name);
    if (event === undefined) throw new Error(`there is no event ${String(name)}`);
    for (const item of String(items).split('\n'))
      EVENT_PAYLOADS[event].schema.strict().parse(JSON.parse(item));
    return event;
  });
}
