import type { Log } from '../base/index.ts';
import type { ReceivedEvent, RuntimeIntake } from './ports.ts';

/**
 * QUEUE_LIMITS bound what waits to be kept: events, bytes of their bodies, and milliseconds until the detector has its answer. What waits at
 * most is what a slow disk keeps in that time; `group` events are one transaction, whose end reviews wait for.
 */
const QUEUE_LIMITS = { events: 1_000, bytes: 32 * 1_048_576, wait: 1_000, group: 24 } as const;

/**
 * Milliseconds for which events are gathered behind a transaction while more keep coming. Each transaction costs reviews the write lock and the
 * disk, and a detector does not wait for its answer. One that sends the next event after its answer never waits.
 */
const GATHER = { quiet: 2, most: 10 } as const;

/** QueueLimits are such bounds. */
export type QueueLimits = Readonly<Record<keyof typeof QUEUE_LIMITS, number>>;

/** Kept is what became of an event: durable, or not known to be within the time. */
export type Kept = 'kept' | 'storage';

/** EventQueueDeps are what events are kept with. */
export interface EventQueueDeps {
  readonly intake: Pick<RuntimeIntake, 'append'>;
  /** Empty for none. */
  readonly cluster: string;
  readonly log: Log;
  /** Milliseconds by a clock that nobody sets. */
  monotonic(): number;
  readonly limits?: Partial<QueueLimits>;
}

interface Entry {
  readonly received: ReceivedEvent;
  readonly bytes: number;
  readonly since: number;
  settle: ((kept: Kept) => void) | null;
}

/** EventQueue keeps events durably, many in one transaction: what comes while one is written, and shortly after, makes the next. */
export class EventQueue {
  readonly #deps: EventQueueDeps;
  readonly #limits: QueueLimits;
  #waiting: Entry[] = [];
  #writing: readonly Entry[] = [];
  #bytes = 0;
  #work: Promise<void> | null = null;
  #failed = false;

  constructor(deps: EventQueueDeps) {
    this.#deps = deps;
    this.#limits = { ...QUEUE_LIMITS, ...deps.limits };
  }

  /** Events that wait or are being written. */
  get size(): number {
    return this.#waiting.length + this.#writing.length;
  }

  /** Whether an event with a body of this many bytes would be taken. */
  hasRoom(bytes: number): boolean {
    return this.size < this.#limits.events && this.#bytes + bytes <= this.#limits.bytes;
  }

  /** Takes an event; null where there is no room for it. */
  take(received: ReceivedEvent, bytes: number): Promise<Kept> | null {
    if (!this.hasRoom(bytes)) return null;
    const { promise, resolve } = Promise.withResolvers<Kept>();
    this.#waiting.push({ received, bytes, since: this.#deps.monotonic(), settle: resolve });
    this.#bytes += bytes;
    this.#work ??= this.#write();
    return promise;
  }

  /** Answers those that waited too long. To be called several times a second. */
  look(): void {
    const before = this.#deps.monotonic() - this.#limits.wait;
    const late = this.#waiting.filter(({ since }) => since <= before);
    if (late.length > 0) {
      this.#waiting = this.#waiting.filter(({ since }) => since > before);
      for (const entry of late) this.#settle(entry, 'storage');
    }
    // What is being written may still be kept; nobody can say so in time.
    for (const entry of this.#writing) if (entry.since <= before) answer(entry, 'storage');
  }

  /** Ends once all that was taken is kept, or has failed. */
  async end(): Promise<void> {
    await this.#work;
  }

  async #write(): Promise<void> {
    // What comes in the same turn of the event loop goes together.
    await new Promise((next) => setImmediate(next));
    const { intake, cluster, log } = this.#deps;
    while (this.#waiting.length > 0) {
      this.#writing = this.#waiting.splice(0, this.#limits.group);
      let kept: Kept = 'kept';
      try {
        await intake.append(
          cluster,
          this.#writing.map(({ received }) => received),
        );
        if (this.#failed) log.info('events of the detector are kept again');
        this.#failed = false;
      } catch (error) {
        kept = 'storage';
        if (!this.#failed)
          log.error('events of the detector cannot be kept; they are counted as dropped', { error });
        this.#failed = true;
      }
      for (const entry of this.#writing) this.#settle(entry, kept);
      this.#writing = [];
      if (this.#waiting.length > 0) await this.#gather();
    }
    this.#work = null;
  }

  /** Waits until a transaction is full, nothing more came for a moment, or the first has waited long enough. */
  async #gather(): Promise<void> {
    for (let waited = 0, size = 0; waited < GATHER.most; waited += GATHER.quiet) {
      if (this.#waiting.length >= this.#limits.group || this.#waiting.length === size) return;
      size = this.#waiting.length;
      await new Promise((next) => setTimeout(next, GATHER.quiet));
    }
  }

  #settle(entry: Entry, kept: Kept): void {
    this.#bytes -= entry.bytes;
    answer(entry, kept);
  }
}

function answer(entry: Entry, kept: Kept): void {
  entry.settle?.(kept);
  entry.settle = null;
}
