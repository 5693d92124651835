import type { Timers } from '../../src/ledger/index.ts';

interface Timer {
  readonly at: number;
  readonly act: () => void;
}

/** VirtualTime passes when it is told to; what is under way ends before it does. */
export class VirtualTime {
  now: number;
  #timers: Timer[] = [];
  #busy = 0;

  constructor(now: number) {
    this.now = now;
  }

  /** Timers of one process; `dead` keeps them from going off. */
  timers(dead: () => boolean): Timers {
    return {
      after: (ms, act) => {
        const timer = { at: this.now + Math.max(0, ms), act: () => (dead() ? undefined : act()) };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
    };
  }

  /** Runs real work that time waits for. */
  async during<T>(act: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await act();
    } finally {
      this.#busy -= 1;
    }
  }

  /** Lets everything go as far as it goes without time passing. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 4; quiet = this.#busy === 0 ? quiet + 1 : 0)
      await new Promise((resolve) => setImmediate(resolve));
  }

  async pass(wanted: number): Promise<void> {
    const ms = Math.round(wanted);
    const end = this.now + ms;
    await this.settle();
    for (;;) {
      const next = this.#timers.reduce<Timer | null>(
        (first, timer) => (timer.at <= end && (first === null || timer.at < first.at) ? timer : first),
        null,
      );
      if (next === null) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.now = Math.max(this.now, next.at);
      next.act();
      await this.settle();
    }
    this.now = end;
  }
}
