import type { TestContext } from 'node:test';
import { openMessengers } from '../../src/app/notify/messengers.ts';
import { signingKeyOf } from '../../src/adapters/messengers/index.ts';
import type { ChannelEvent } from '../../src/channels/index.ts';
import { Sender, type DeliveryStore, type Happened, type Messengers } from '../../src/notify/index.ts';
import { channelStore, deliveryList, deliveryStore, muteStore, type Store } from '../../src/store/index.ts';
import { writeEvents } from '../../src/store/outbox/index.ts';
import { keptLog } from '../api/service.ts';
import type { Inbox } from '../../fakes/index.ts';
import { lineOf, startSide } from './others.ts';
import { subscribe } from './subscriber.ts';

/** AT is when it is in these tests. */
export const AT = Date.UTC(2026, 10, 24, 6);

/** KINDS are those that are told. */
export const KINDS = ['email', 'slack', 'teams', 'webhook'] as const;

/** Kind is one of them. */
export type Kind = (typeof KINDS)[number];

/** settingsOf gives the settings of a channel that leads to the other side. */
export function settingsOf(kind: Kind, side: Inbox): Readonly<Record<string, unknown>> {
  if (kind !== 'email') return { webhookUrl: `${side.url}/${kind}/services/T0/B0/canary` };
  return {
    ...{ host: '127.0.0.1', port: side.mailPort, security: 'none', username: null, password: null },
    ...{ from: 'ipo@example.com', to: ['ops@example.com'] },
  };
}

/** DIGEST is an image. */
export const DIGEST = `sha256:${'a1'.repeat(32)}`;

/** found is a critical finding of an image. */
export function found(cve: string, digest = DIGEST): Happened {
  return {
    event: 'critical_finding',
    subject: digest,
    payload: {
      digest,
      cve,
      package: 'openssl',
      fixed: '3.0.2',
      severity: 'CRITICAL',
      known_exploited: false,
    },
  };
}

/** overCeiling is a cluster that has too many nodes. */
export function overCeiling(cluster = 'eu'): Happened {
  return { event: 'nodes_over', subject: cluster, payload: { cluster, count: 11, ceiling: 10 } };
}

/** Desk is a sender over a store, with a clock that a test sets and the other side of its channels. */
export interface Desk {
  now: number;
  readonly side: Inbox;
  readonly store: Store;
  readonly counted: Map<string, number>;
  readonly log: ReturnType<typeof keptLog>;
  leads: boolean;
  channel(kind: Kind, id?: string, events?: readonly ChannelEvent[]): Promise<string>;
  happen(happened: readonly Happened[], period?: number): Promise<readonly Happened[]>;
  enable(id: string, enabled: boolean): Promise<void>;
  /** Changes settings of a channel. */
  rewrite(id: string, settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** One run of the job, until all that it began has ended. */
  run(sender?: Sender): Promise<void>;
  /** Runs with so many milliseconds between, until nothing waits. */
  settle(step?: number, most?: number): Promise<void>;
  sender(parts?: { readonly store?: DeliveryStore; readonly messengers?: Messengers }): Sender;
  readonly deliveries: DeliveryStore;
  readonly list: ReturnType<typeof deliveryList>;
  readonly mutes: ReturnType<typeof muteStore>;
  readonly messengers: Messengers;
}

/** openDesk opens one. */
export async function openDesk(t: TestContext, store: Store): Promise<Desk> {
  const side = await startSide(t);
  const log = keptLog();
  const counted = new Map<string, number>();
  const clock = { now: (): number => desk.now };
  const channels = channelStore(store);
  const messengers = openMessengers({
    line: lineOf(
      () => desk.now,
      () => (side.fault === 'silent' || side.fault === 'too late' ? 60 : 10_000),
    ),
    source: 'urn:ipo:test',
    key: async () => signingKeyOf(Buffer.alloc(32, 7)),
    clock,
  });
  const change = async (id: string, set: object, settings: object = {}): Promise<void> => {
    const channel = await channels.get(id);
    if (channel === null || channel.settings === null) throw new Error(`no channel ${id}`);
    const { kind, name, enabled, subscriptions } = channel;
    await channels.replace(
      id,
      {
        ...{ kind, name, enabled, subscriptions, settings: { ...channel.settings, ...settings } },
        ...{ credential: null, at: desk.now, by: null, ...set },
      },
      'any',
    );
  };
  const desk: Desk = {
    now: AT,
    leads: true,
    ...{ side, store, counted, log, messengers },
    deliveries: deliveryStore(store),
    list: deliveryList(store),
    mutes: muteStore(store),
    async channel(kind, id = kind, events) {
      await subscribe(store, id, events, settingsOf(kind, side), kind);
      return id;
    },
    enable: (id, enabled) => change(id, { enabled }),
    rewrite: (id, settings) => change(id, {}, settings),
    happen: (happened, period = 0) =>
      store.write((transaction) => writeEvents(transaction, happened, { at: desk.now, period })),
    sender: (parts = {}) =>
      new Sender({
        store: parts.store ?? desk.deliveries,
        find: (id) => channels.get(id),
        messengers: parts.messengers ?? messengers,
        isLeader: () => desk.leads,
        ...{ clock, log },
        count: {
          add: (name, labels, by = 1) => {
            const key = [name, labels?.kind, labels?.event, labels?.outcome].join(' ');
            counted.set(key, (counted.get(key) ?? 0) + by);
          },
        },
        noteError: (id, lastError, at) => channels.setState(id, { lastError, lastErrorAt: at }),
      }),
    async run(sender = desk.sender()) {
      await sender.run();
      await sender.settle();
    },
    async settle(step = 61_000, most = 60) {
      for (let runs = 0; runs < most && (await desk.deliveries.waiting()).length > 0; runs += 1) {
        await desk.run();
        desk.now += step;
      }
    },
  };
  return desk;
}
