import type { SigningKey } from '../../adapters/messengers/index.ts';
import { DAY_MS, formatTime, isIpoError, type Clock, type Count, type Log } from '../../base/index.ts';
import { toMuteBody, type ChannelBody } from '../../api/index.ts';
import { isTrackerKind, type ChannelTest, type StoredChannel } from '../../channels/index.ts';
import {
  composeMessage,
  newMessageId,
  SendError,
  Sender,
  type DeliveryCounts,
  type DeliveryList,
  type Happened,
  type Messengers,
  type MuteStore,
  type TellerChannel,
} from '../../notify/index.ts';
import {
  channelStore,
  deliveryList,
  deliveryStore,
  installationId,
  muteStore,
  signingSeed,
  tellTriageRanOut,
  underLeadership,
  writeEvents,
  type Store,
} from '../../store/index.ts';
import type { StandaloneLeader } from '../leadership/standalone-leader.ts';
import type { Line } from '../../adapters/transport/index.ts';
import { openMessengers } from './messengers.ts';

/** NotificationsDeps are what the notifications of a service are joined with. */
export interface NotificationsDeps {
  /** Whose writes hold the fence of the job that makes them. */
  readonly store: Store;
  /** What all calls to channels share. */
  readonly line: Line;
  readonly leader: StandaloneLeader;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

/** Notifications are those of a service. */
export interface Notifications {
  /** What the routes of the API act through. */
  readonly routes: {
    readonly deliveries: DeliveryList;
    readonly mutes: MuteStore;
    /** How what a channel is told stands; undefined for a tracker. */
    told(channel: StoredChannel): Promise<ChannelBody['notifications']>;
  };
  /** Sends what is due; begins it, and does not wait for it. */
  send(signal: AbortSignal): Promise<void>;
  /** Deletes messages that are older than 90 days at a time, and all that hangs on them. */
  prune(now: number): Promise<void>;
  /**
   * Puts down what happened to the service itself; gives whether some channel is told. An occurrence with the throttle key of one that was
   * told is told again after 90 days.
   */
  tell(happened: Happened): Promise<boolean>;
  /** Puts down which triage ran out since it was called last. */
  tellTriageRanOut(): Promise<void>;
  counts(): Promise<DeliveryCounts>;
  /** Sends one message that says that it is a test. */
  test(channel: TellerChannel, by: string): Promise<ChannelTest>;
  stop(): Promise<void>;
}

/** KEPT is how long messages are kept, in milliseconds. */
const KEPT = 90 * DAY_MS;

/** openNotifications joins them. */
export async function openNotifications(deps: NotificationsDeps): Promise<Notifications> {
  const { store, line, leader, clock, log, count } = deps;
  const channels = channelStore(store);
  const source = `urn:ipo:${await installationId(store)}`;
  let known: SigningKey | null = null;
  const key = async (): Promise<SigningKey> => {
    if (known !== null) return known;
    const { signingKeyOf } = await import('../../adapters/messengers/index.ts');
    return (known = signingKeyOf(await signingSeed(store)));
  };
  const messengers = openMessengers({ line, source, key, clock });
  const deliveries = deliveryStore(store);
  const mutes = muteStore(store);
  const sender = new Sender({
    store: deliveries,
    find: (id) => channels.get(id),
    messengers,
    isLeader: () => leader.isLeader(),
    clock,
    log,
    count,
    noteError: (id, lastError, at) =>
      channels.setState(id, { lastError, lastErrorAt: lastError === null ? null : at }),
  });
  return {
    routes: {
      deliveries: deliveryList(store),
      mutes,
      async told({ id, kind }) {
        if (isTrackerKind(kind)) return undefined;
        const now = clock.now();
        const { waiting, failed } = await deliveries.counts(now, id);
        const mute = await mutes.current(id, now);
        return {
          waiting,
          failed,
          muted: mute === null ? null : toMuteBody(mute),
          ...(kind === 'webhook' && { key: (await key()).publicKey }),
        };
      },
    },
    async send(signal) {
      await leader.check();
      await underLeadership(leader.fence(), () => sender.run(signal));
    },
    async prune(now) {
      while (await deliveries.prune(now - KEPT));
    },
    tell: async (happened) => {
      const told = await store.write((transaction) =>
        writeEvents(transaction, [happened], { at: clock.now(), period: 2 * KEPT }),
      );
      return told.length > 0;
    },
    tellTriageRanOut: () => tellTriageRanOut(store, clock.now()),
    counts: () => deliveries.counts(clock.now()),
    test: (channel, by) => sendTest(messengers, channel, by, clock),
    stop: () => sender.stop(),
  };
}

async function sendTest(
  messengers: Messengers,
  channel: TellerChannel,
  by: string,
  clock: Clock,
): Promise<ChannelTest> {
  const at = clock.now();
  const content = { sections: [], places: {}, test: { by } };
  try {
    const messenger = await messengers.open(channel, () => true);
    const answer = await messenger.send(composeMessage(content, { id: newMessageId(), at, references: [] }));
    return {
      works: true,
      sentence: `a test message was taken at ${formatTime(at)}: ${answer}`,
      hints: ['Look whether it arrived: only a person sees that'],
      wrote: true,
    };
  } catch (error) {
    if (!isIpoError(error)) throw error;
    const limitedMs = error instanceof SendError ? error.quietMs : null;
    return {
      works: false,
      sentence: error.message,
      hints: error.hint === undefined ? [] : [error.hint],
      ...(limitedMs !== null && { limitedMs }),
    };
  }
}
