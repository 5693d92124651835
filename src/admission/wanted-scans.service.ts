import { isWaiting, Outage, type Clock, type Log } from '../base/index.ts';
import type { ScanRequests } from './ports.ts';

/** WantedScansDeps are what scans are asked for with. */
export interface WantedScansDeps {
  /** Queues scans; gives the digests of which no image is known yet, which are asked for again when they are met again. */
  request(digests: readonly string[], at: number): Promise<{ readonly unknown: readonly string[] }>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Digests that wait to be handed over; more are met again with the next pod of their workload. */
const MOST_WAITING = 5000;
/** "At most 500 digests." */
const MOST_AT_ONCE = 500;
/** A scan that was asked for is not asked for again for this many milliseconds. */
const AGAIN = 600_000;
const MOST_ASKED = 20_000;

/** WantedScans gathers the digests that were decided without a scan, so that the answer never waits for the queue. */
export class WantedScans implements ScanRequests {
  readonly #deps: WantedScansDeps;
  readonly #outage = new Outage();
  readonly #asked = new Map<string, number>();
  #waiting = new Set<string>();

  constructor(deps: WantedScansDeps) {
    this.#deps = deps;
  }

  want(digest: string): void {
    if (this.#waiting.size >= MOST_WAITING || this.#waiting.has(digest)) return;
    const asked = this.#asked.get(digest);
    if (asked !== undefined && isWaiting(asked + AGAIN, this.#deps.clock.now(), AGAIN)) return;
    this.#waiting.add(digest);
  }

  /** Hands over what waits; what is not taken waits on. */
  async flush(): Promise<void> {
    const { request, clock, log } = this.#deps;
    while (this.#waiting.size > 0) {
      const digests = [...this.#waiting].slice(0, MOST_AT_ONCE);
      const at = clock.now();
      let unknown: ReadonlySet<string>;
      try {
        unknown = new Set((await request(digests, at)).unknown);
      } catch (error) {
        const level = this.#outage.isNew(String(error)) ? 'warn' : 'debug';
        log[level]('scans could not be asked for; they are asked for again', {
          digests: this.#waiting.size,
          error,
        });
        return;
      }
      if (this.#outage.ends()) log.info('scans are asked for again');
      if (this.#asked.size > MOST_ASKED) this.#asked.clear();
      for (const digest of digests) {
        this.#waiting.delete(digest);
        if (!unknown.has(digest)) this.#asked.set(digest, at);
      }
    }
  }
}
