/**
 * StartLimit counts the replays that each account starts within a sliding window: "10 per minute per account per
 * replica". It holds no more than the starts of the last window.
 */
export class StartLimit {
  readonly #most: number;
  readonly #window: number;
  readonly #starts = new Map<string, number[]>();

  /** `window` in milliseconds. */
  constructor(most: number, window: number) {
    this.#most = most;
    this.#window = window;
  }

  /** Counts a start at a time and gives null; or, where there were too many, the milliseconds until the next may begin. */
  take(account: string, now: number): number | null {
    this.#forget(now);
    const starts = this.#starts.get(account) ?? [];
    const oldest = starts[0];
    if (oldest !== undefined && starts.length >= this.#most) return oldest + this.#window - now;
    this.#starts.set(account, [...starts, now]);
    return null;
  }

  /** Takes a start back that came to nothing. */
  giveBack(account: string, at: number): void {
    const starts = this.#starts.get(account) ?? [];
    const index = starts.lastIndexOf(at);
    if (index !== -1) this.#starts.set(account, starts.toSpliced(index, 1));
  }

  /** A start that lies ahead, since the clock has stepped back, would bar the account for as long as the step. */
  #forget(now: number): void {
    for (const [account, starts] of this.#starts) {
      const within = starts.filter((at) => at > now - this.#window && at <= now);
      if (within.length === 0) this.#starts.delete(account);
      else if (within.length < starts.length) this.#starts.set(account, within);
    }
  }
}
