/** DemoTime is a time that a story moves on as it needs; between its moves it goes on like any other. Milliseconds. */
export class DemoTime {
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  monotonic(): number {
    return performance.now() + this.#ahead;
  }

  /** What would wait moves the time on instead. */
  wait(ms: number): Promise<void> {
    this.advance(ms);
    return Promise.resolve();
  }

  advance(ms: number): void {
    this.#ahead += ms;
  }
}
