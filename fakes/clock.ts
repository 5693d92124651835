/** FakeClock is a clock that stands still until a test moves it. */
export class FakeClock {
  #at: number;

  /** The clock begins at a time in milliseconds since 1970 UTC. */
  constructor(at = Date.UTC(2026, 9, 15, 8, 0, 0)) {
    this.#at = at;
  }

  /** now gives the time. */
  now(): number {
    return this.#at;
  }

  /** advance moves the time on, or back where it is negative. */
  advance(ms: number): void {
    this.#at += ms;
  }
}
