import type { ReviewEvent, ReviewEvents } from '../../admission/index.ts';
import type { Log } from '../../base/index.ts';

/** Events that wait for the process that tells the cluster; the cluster is told as many of one burst at most. */
const MOST = 1_000;

/** EventRelay hands over what a cluster should be told, one message for what happens in one turn of the event loop. */
export class EventRelay implements ReviewEvents {
  readonly #hand: (events: readonly ReviewEvent[]) => boolean;
  readonly #log: Log;
  #waiting: ReviewEvent[] = [];
  #planned = false;
  #dropped = 0;

  /** `hand` gives false while nobody takes them. */
  constructor(hand: (events: readonly ReviewEvent[]) => boolean, log: Log) {
    this.#hand = hand;
    this.#log = log;
  }

  happened(event: ReviewEvent): void {
    if (this.#waiting.length < MOST) this.#waiting.push(event);
    else if ((this.#dropped += 1) === 1)
      this.#log.warn('events of reviews are not told to the cluster while the service starts again', {
        waiting: MOST,
      });
    if (this.#planned) return;
    this.#planned = true;
    setImmediate(() => this.flush());
  }

  /** Hands over what waits, where somebody takes it. */
  flush(): void {
    this.#planned = false;
    if (this.#waiting.length === 0 || !this.#hand(this.#waiting)) return;
    this.#waiting = [];
    this.#dropped = 0;
  }
}
