import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { signingKeyOf } from '../../adapters/messengers/index.ts';
import { CHANNEL_EVENTS, type ChannelEvent, type TellerKind } from '../../channels/index.ts';
import { EVENT_PAYLOADS } from '../../notify/index.ts';
import {
  channelStore,
  deliveryList,
  lockImage,
  recordNames,
  openStore,
  recordSweep,
  writeEvents,
} from '../../store/index.ts';
import { openDemoSender } from './demo-sender.ts';
import type { DemoTime } from './demo-time.ts';

/** NotificationDemoOptions say where the demonstration keeps its outbox, and to whom it sends. */
export interface NotificationDemoOptions {
  readonly directory: string;
  readonly time: DemoTime;
  readonly userAgent: string;
  /** Channels, each with its settings. */
  readonly channels: readonly {
    readonly kind: TellerKind;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
}

/** NotificationDemo is an outbox with channels that are subscribed to every event. */
export interface NotificationDemo {
  /** Public key that signs webhooks, as Standard Webhooks writes it. */
  readonly key: string;
  /** The sample of an event happens, and every channel is sent it. Gives why messages were not taken. */
  happen(event: ChannelEvent): Promise<readonly string[]>;
  close(): Promise<void>;
}

const NAME = 'registry.example.com/shop/api:1.4.2';

/** A minute and more: channels are sent one message a minute. */
const STEP = 61_000;

/** startNotificationDemo starts it: the outbox, the texts and the messengers of the service, without the rest of it. */
export async function startNotificationDemo(options: NotificationDemoOptions): Promise<NotificationDemo> {
  const { directory, time, userAgent, channels } = options;
  const store = await openStore({ url: `sqlite:${join(directory, 'demo.db')}` });
  const kept = channelStore(store);
  for (const { kind, settings } of channels)
    await kept.create(kind, {
      kind,
      name: kind,
      enabled: true,
      subscriptions: CHANNEL_EVENTS,
      settings,
      credential: null,
      at: time.now(),
      by: null,
    });
  const now = time.now();
  const { subject: digest } = EVENT_PAYLOADS.critical_finding.sample;
  await store.write(async (transaction) => {
    await lockImage(transaction, digest, now);
    await recordNames(transaction, digest, [NAME], now);
  });
  await recordSweep(store, {
    cluster: 'eu',
    startedAt: now - 1000,
    finishedAt: now,
    pods: 1,
    running: [{ namespace: 'shop', workload: 'api', digest }],
  });
  const key = signingKeyOf(randomBytes(32));
  const sender = openDemoSender({ store, time, userAgent, key });
  const list = deliveryList(store);
  return {
    key: key.publicKey,
    async happen(event) {
      const happened = { event, ...EVENT_PAYLOADS[event].sample };
      await store.write((transaction) => writeEvents(transaction, [happened], { at: time.now() }));
      await sender.run();
      await sender.settle();
      time.advance(STEP);
      const { items } = await list.list({ channelId: null, state: null, limit: channels.length, offset: 0 });
      return items
        .filter(({ state }) => state !== 'sent')
        .map(({ kind, lastError }) => `${kind}: ${lastError ?? ''}`);
    },
    async close() {
      await sender.stop();
      await store.close();
    },
  };
}
