import { CHANNEL_EVENTS, type ChannelEvent } from '../../src/channels/index.ts';
import { channelStore, type Store } from '../../src/store/index.ts';

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
