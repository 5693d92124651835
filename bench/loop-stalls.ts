/** Stalls is how long the event loop stood still, in milliseconds. */
export interface Stalls {
  /** The longest wait between two turns. */
  readonly longest: number;
  /** The most time on a processor between two turns: what of it is the process's own, and not the machine's. */
  readonly busiest: number;
}

/** LoopStalls measures the event loop of its process with a ticker of a millisecond. */
export class LoopStalls {
  #longest = 0;
  #busiest = 0;

  constructor() {
    let at = performance.now();
    let cpu = process.threadCpuUsage();
    setInterval(() => {
      const [now, used] = [performance.now(), process.threadCpuUsage()];
      this.#longest = Math.max(this.#longest, now - at);
      this.#busiest = Math.max(this.#busiest, (used.user + used.system - cpu.user - cpu.system) / 1000);
      [at, cpu] = [now, used];
    }, 1);
  }

  /** Those since it was asked last. */
  take(): Stalls {
    const stalls = { longest: this.#longest, busiest: this.#busiest };
    [this.#longest, this.#busiest] = [0, 0];
    return stalls;
  }
}
