import type { Fence, FilingStore } from './filing-ports.ts';
import type { TrackerClock } from './ports.ts';

/** How far the clocks of two machines may be apart. */
const SKEW = 5 * 60_000;

/**
 * SteadyClock gives a time in milliseconds that only goes forward and never faster than the real one, however the wall clock is set: the
 * cap of 24 hours and the waiting after an unknown outcome are measured by it. Within a process it goes with the monotonic clock. Over a
 * restart or a change of the leader it goes on from where it was stored, by what the wall clock says has passed, less five minutes in which
 * two machines may differ.
 */
export class SteadyClock {
  readonly #store: Pick<FilingStore, 'clock' | 'saveClock'>;
  readonly #clock: TrackerClock;
  #fence: Fence | null = null;
  #base = 0;
  #since = 0;

  constructor(store: Pick<FilingStore, 'clock' | 'saveClock'>, clock: TrackerClock) {
    this.#store = store;
    this.#clock = clock;
  }

  now(): number {
    return this.#base + Math.floor(this.#clock.monotonic() - this.#since);
  }

  /** Begins, or goes on after another process led; and stores how far it has come. Throws TrackerError `stopped`. */
  async keep(fence: Fence): Promise<void> {
    if (this.#fence !== fence) {
      const stored = await this.#store.clock();
      const wall = this.#clock.now();
      const passed = stored === null ? 0 : Math.max(0, wall - stored.wall - SKEW);
      const own = this.#fence === null ? -Infinity : this.now();
      this.#base = Math.max(stored === null ? wall : stored.steady + passed, own);
      this.#since = this.#clock.monotonic();
      this.#fence = fence;
    }
    await this.#store.saveClock({ steady: this.now(), wall: this.#clock.now() }, fence);
  }
}
