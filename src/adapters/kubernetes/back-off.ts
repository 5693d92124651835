/**
 * BackOff gives the time to wait before the next attempt: twice as long after each fault, spread, up to a few seconds, so that what is
 * held is soon up to date when the server is back; a busy server says itself how long to wait.
 */
export class BackOff {
  readonly #random: () => number;
  readonly #first: number;
  readonly #most: number;
  #next: number;

  constructor({
    first = 500,
    most = 3_000,
    random = Math.random,
  }: { first?: number; most?: number; random?: () => number } = {}) {
    this.#first = first;
    this.#most = most;
    this.#random = random;
    this.#next = first;
  }

  /** Milliseconds; `asked` is what the server said (seconds), which is obeyed. */
  next(asked?: number): number {
    const wait = this.#next * (1 + this.#random() / 2);
    this.#next = Math.min(this.#most, this.#next * 2);
    return Math.max(wait, Math.min((asked ?? 0) * 1000, 120_000));
  }

  reset(): void {
    this.#next = this.#first;
  }
}
