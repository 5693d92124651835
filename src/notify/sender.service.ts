import {
  isIpoError,
  isWaiting,
  Outage,
  randomLetters,
  type Clock,
  type Count,
  type Log,
} from '../base/index.ts';
import { isTracker, targetOf, type StoredChannel } from '../channels/index.ts';
import { composeMessage } from './compose.ts';
import type {
  Delivery,
  DeliveryContent,
  DeliveryStore,
  Ended,
  FindChannel,
  Messengers,
  TellerChannel,
} from './ports.ts';
import { MESSAGE_EVERY, nextTry, TRIES_END, waitAfter } from './schedule.ts';
import { SendError } from './send-error.ts';

/** SenderDeps are what messages are sent with. */
export interface SenderDeps {
  readonly store: DeliveryStore;
  readonly find: FindChannel;
  readonly messengers: Messengers;
  /** Whether this process leads; asked before each message and right before its first byte. */
  readonly isLeader: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  /** Is told after each error what the channel shows of it; null once a message was taken. */
  readonly noteError: (channelId: string, error: string | null, at: number) => Promise<void>;
}

/**
 * Sender tells the channels what happened: for each one message at a time, in order, tried until it is taken or given up. Channels do not
 * wait for each other. A message that was taken, and whose process ended before it could write that down, goes again with the same id.
 */
export class Sender {
  readonly #deps: SenderDeps;
  readonly #running = new Map<string, Promise<void>>();
  readonly #outages = new Map<string, Outage>();
  #stopped = false;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Begins what is due and is not under way, and does not wait for it. Throws what the store throws. */
  async run(signal?: AbortSignal): Promise<void> {
    for (const id of await this.#deps.store.waiting()) {
      if (this.#stopped || signal?.aborted === true || !this.#deps.isLeader()) return;
      if (this.#running.has(id)) continue;
      const turn = this.#turn(id)
        .catch((error: unknown) => this.#broke(id, error))
        .finally(() => this.#running.delete(id));
      this.#running.set(id, turn);
    }
  }

  /** Waits for what is under way. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.settle();
  }

  #broke(id: string, error: unknown): void {
    const outage = this.#outageOf(id);
    const level = outage.isNew(String(error)) ? 'warn' : 'debug';
    this.#deps.log[level]('what waits for a channel could not be handled; it is tried again', {
      channel: id,
      error,
    });
  }

  #outageOf(id: string): Outage {
    const there = this.#outages.get(id);
    if (there !== undefined) return there;
    const made = new Outage();
    this.#outages.set(id, made);
    return made;
  }

  async #turn(id: string): Promise<void> {
    const { store, find, clock } = this.#deps;
    const channel = await find(id);
    if (!isTeller(channel) || !channel.enabled || channel.paused) return;
    const now = clock.now();
    const { delivery: open, gathered, lastAt, mutedUntil } = await store.due(id, now);
    if (mutedUntil !== null) return;
    if (open !== null && isWaiting(open.notBefore, now, TRIES_END)) return;
    // A try that failed has a pace of its own; a new message waits until a minute after the last one.
    const isAgain = open !== null && open.attempts > 0;
    if (!isAgain && lastAt !== null && isWaiting(lastAt + MESSAGE_EVERY, now, MESSAGE_EVERY)) return;
    const due = open ?? (gathered ? await this.#claim(channel, now) : null);
    if (due !== null) await this.#try(channel, due);
  }

  #claim(channel: TellerChannel, at: number): Promise<(Delivery & DeliveryContent) | null> {
    const message = newMessageId();
    return this.#deps.store.claim(channel, { message, at, target: targetOf(channel) }, (content) => {
      try {
        return composeMessage(content, { id: message, at, references: [] }).title;
      } catch {
        return 'A message that could not be written'; // its tries say why, and end
      }
    });
  }

  async #try(channel: TellerChannel, delivery: Delivery & DeliveryContent): Promise<void> {
    const { store, messengers, clock, isLeader } = this.#deps;
    const attempts = delivery.attempts + 1;
    const begun = clock.now();
    if (!isLeader() || this.#stopped) return;
    const isOurs = await store.begin(delivery.id, {
      at: begun,
      notBefore: begun + waitAfter(attempts),
      channelName: channel.name,
      target: targetOf(channel),
    });
    if (!isOurs) return;
    const { message, content, references, createdAt } = delivery;
    let ended: Ended;
    try {
      const messenger = await messengers.open(channel, isLeader);
      const answer = await messenger.send(
        composeMessage(content, { id: message, at: createdAt, references }),
      );
      ended = { state: 'sent', at: clock.now(), answer };
    } catch (error) {
      if (error instanceof SendError && error.fault === 'stopped') return;
      ended = this.#failed(this.#toFault(channel, error), attempts, delivery.firstAttemptAt ?? begun);
    }
    await store.end(delivery, ended);
    await this.#tell(channel, delivery, ended);
  }

  /** A message that we fail to write must not stop all that come after it: it is tried as any other, and given up. */
  #toFault({ name }: TellerChannel, error: unknown): Error {
    if (isIpoError(error)) return error;
    this.#deps.log.error('a message could not be written; this is an error of the service', {
      channel: name,
      error,
    });
    return new SendError('later', 'the message could not be written; the log of the service says why');
  }

  #failed(error: Error, attempts: number, firstAt: number): Ended {
    const now = this.#deps.clock.now();
    const { fault, quietMs } =
      error instanceof SendError ? error : ({ fault: 'later', quietMs: null } as const);
    if (fault === 'refused') return { state: 'failed', at: now, error: error.message };
    const notBefore = nextTry(attempts, firstAt, now, quietMs);
    return notBefore === null
      ? { state: 'failed', at: now, error: `${error.message}; given up after 24 hours` }
      : { state: 'waiting', at: now, notBefore, error: error.message };
  }

  async #tell(channel: TellerChannel, delivery: Delivery, ended: Ended): Promise<void> {
    const { log, count, noteError } = this.#deps;
    const { name, id, kind } = channel;
    const outcome = ended.state === 'waiting' ? 'retried' : ended.state;
    for (const { event, count: by } of delivery.events)
      count.add('svc_notifications_total', { kind, event, outcome }, by);
    const error = ended.state === 'sent' ? null : ended.error;
    await noteError(id, error, ended.at);
    const outage = this.#outageOf(id);
    const keys = { channel: name, message: delivery.message };
    if (error === null) {
      if (outage.ends()) log.info('a channel can be told again', keys);
      return;
    }
    const level = outage.isNew(error) ? 'warn' : 'debug';
    const text =
      ended.state === 'failed' ? 'a message was given up' : 'a channel could not be told; it is tried again';
    log[level](text, { ...keys, error });
  }
}

function isTeller(channel: StoredChannel | null): channel is TellerChannel {
  return channel !== null && channel.settings !== null && !isTracker(channel);
}

/** newMessageId gives `msg_` and 26 letters or digits of 130 random bits. */
export function newMessageId(): string {
  return `msg_${randomLetters(26)}`;
}
