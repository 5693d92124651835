import type { ReviewEvent, ReviewEvents } from '../../admission/index.ts';
import type { Log } from '../../base/index.ts';

/** Events that wait for the process that tells the cluster; the cluster is told as many of one burst at most. */
const MOST = 1_000;

/**
 * EventRelay hands over what a cluster should be told: what happens while the last message is being taken waits for the next one, so that a
 * process that is slow to take them fills no memory between the two.
 */
export class EventRelay implements ReviewEvents {
  readonly #hand: (events: readonly ReviewEvent[]) => Promise<boolean>;
  readonly #log: Log;
  #waiting: ReviewEvent[] = [];
  #handing = false;
  #dropped = 0;

  /** `hand` gives false where nobody took them: they are handed over again with `flush`, or with what happens next. */
  constructor(hand: (events: readonly ReviewEvent[]) => Promise<boolean>, log: Log) {
    this.#hand = hand;
    this.#log = log;
  }

  happened(event: ReviewEvent): void {
    if (this.#waiting.length < MOST) this.#waiting.push(event);
    else if ((this.#dropped += 1) === 1)
      this.#log.warn('events of reviews are not told to the cluster while the service starts again', {
        waiting: MOST,
      });
    this.flush();
  }

  /** Hands over what waits, once what happens in this turn of the event loop is there, too. */
  flush(): void {
    if (this.#handing) return;
    this.#handing = true;
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    const taken = batch.length === 0 || (await this.#hand(batch));
    this.#handing = false;
    if (taken) {
      this.#dropped = 0;
      if (this.#waiting.length > 0) this.flush();
      return;
    }
    this.#waiting = [...batch, ...this.#waiting].slice(0, MOST);
  }
}
