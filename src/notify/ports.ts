import type { Channel, ChannelEvent, StoredChannel, TrackerChannel } from '../channels/index.ts';
import type { Content } from './content.ts';
import type { Message } from './message.ts';

/** TellerChannel is a channel that is told, and files nothing. */
export type TellerChannel = Exclude<Channel, TrackerChannel>;

/** DELIVERY_STATES are what a message can have come to. */
export const DELIVERY_STATES = ['waiting', 'sent', 'failed'] as const;

/** DeliveryState is one of them. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Delivery is one message to one channel, with its tries. Times are UTC milliseconds. */
export interface Delivery {
  /** Order in which they were made. */
  readonly id: number;
  /** What the other side knows it by, the same on every try. */
  readonly message: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly kind: string;
  /** Where it goes, in a few words and without a secret. */
  readonly target: string;
  readonly title: string;
  readonly events: readonly { readonly event: ChannelEvent; readonly count: number }[];
  readonly state: DeliveryState;
  readonly createdAt: number;
  /** Tries since it was last handed in. */
  readonly attempts: number;
  readonly attemptedAt: number | null;
  readonly firstAttemptAt: number | null;
  /** It is not tried before. */
  readonly notBefore: number;
  readonly endedAt: number | null;
  /** What the other side said when it took the message. */
  readonly answer: string | null;
  readonly lastError: string | null;
}

/** DeliveryContent is what a delivery tells. */
export interface DeliveryContent {
  readonly content: Content;
  readonly references: readonly string[];
}

/** Due is what there is to do for a channel. */
export interface Due {
  /** Its oldest message that is not settled; null for none. */
  readonly delivery: (Delivery & DeliveryContent) | null;
  /** Whether something is gathered for the next message. */
  readonly gathered: boolean;
  /** When a message was last tried; null for never. */
  readonly lastAt: number | null;
  readonly mutedUntil: number | null;
}

/** Ended is what a try came to. */
export type Ended =
  | { readonly state: 'sent'; readonly at: number; readonly answer: string }
  | { readonly state: 'waiting'; readonly at: number; readonly notBefore: number; readonly error: string }
  | { readonly state: 'failed'; readonly at: number; readonly error: string };

/** Begun is a try that is made now. Times are UTC milliseconds. */
export interface Begun {
  readonly at: number;
  readonly notBefore: number;
  /** As they are now: a person may have changed them since the message was made. */
  readonly channelName: string;
  readonly target: string;
}

/** DeliveryStore keeps what waits and what became of it. Writes are under the leader's fence where the job runs under one. */
export interface DeliveryStore {
  /** Ids of the enabled channels for which something waits. */
  waiting(): Promise<readonly string[]>;
  due(channelId: string, now: number): Promise<Due>;
  /**
   * Makes one message of all that is gathered for a channel; null for nothing. `word` gives its title. What was gathered is in the message
   * or still gathered, whenever the process ends.
   */
  claim(
    channel: TellerChannel,
    made: { readonly message: string; readonly at: number; readonly target: string },
    word: (content: Content) => string,
  ): Promise<(Delivery & DeliveryContent) | null>;
  /** Notes a try before it is made, where it goes, and until when the next waits if nobody says what became of it. False where the message waits no more. */
  begin(id: number, begun: Begun): Promise<boolean>;
  /** Writes what became of a try, together with what the other channels are told of it. */
  end(delivery: Delivery, ended: Ended): Promise<void>;
  /** Deletes what is older than a time, some at once, also what waits for a channel that nobody enabled since; gives whether there may be more. */
  prune(before: number): Promise<boolean>;
  /** When the oldest of what waits happened, and how much waits and failed: of one channel, or of all that are enabled and not muted. */
  counts(now: number, channelId?: string): Promise<DeliveryCounts>;
}

/** DeliveryCounts are how the channels stand. */
export interface DeliveryCounts {
  /** When the oldest of what waits for a channel was made or happened, in UTC milliseconds; null for nothing. */
  readonly oldest: number | null;
  /** Messages, and subjects gathered for the next. */
  readonly waiting: number;
  /** Messages that were given up in the last 24 hours. */
  readonly failed: number;
}

/** DeliveryFilter says which deliveries are wanted. */
export interface DeliveryFilter {
  readonly channelId: string | null;
  readonly state: DeliveryState | null;
  readonly limit: number;
  readonly offset: number;
}

/** DeliveryList lists deliveries and hands them in again. */
export interface DeliveryList {
  /** Newest first. */
  list(filter: DeliveryFilter): Promise<{ readonly items: readonly Delivery[]; readonly total: number }>;
  /** Hands messages in again, each with its id: those named, or those that failed and were made since a time. Gives how many. */
  resend(
    channelId: string,
    which: { readonly messages: readonly string[] } | { readonly since: number },
    at: number,
  ): Promise<number>;
}

/** Mute is a time in which a channel is told nothing; what happens meanwhile is gathered. Times are UTC milliseconds. */
export interface Mute {
  readonly channelId: string;
  readonly mutedAt: number;
  readonly until: number;
  readonly reason: string;
  /** `user:<account_id>`, or null. */
  readonly mutedBy: string | null;
}

/** MuteStore keeps mutes, also those that ended. */
export interface MuteStore {
  /** The one that holds now; null for none. */
  current(channelId: string, now: number): Promise<Mute | null>;
  /** Puts one in the place of the one that holds. */
  mute(mute: Mute): Promise<void>;
  /** Ends the one that holds; false where none does. */
  unmute(channelId: string, at: number, by: string | null): Promise<boolean>;
}

/** Messenger sends messages over one channel. */
export interface Messenger {
  /** Gives what the other side said when it took the message. Throws SendError. */
  send(message: Message): Promise<string>;
}

/** Messengers open the messenger of a channel. `mayWrite` is asked right before the first byte goes. */
export interface Messengers {
  open(channel: TellerChannel, mayWrite: () => boolean): Promise<Messenger>;
}

/** FindChannel gives a channel as it is now; null where it is gone. */
export type FindChannel = (id: string) => Promise<StoredChannel | null>;
