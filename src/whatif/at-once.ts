/** AtOnce counts the replays of each account that wait or run, so that none takes every place there is. */
export class AtOnce {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place of an account, which `leave` gives back; false when it has none left. */
  enter(account: string): boolean {
    const open = this.#open.get(account) ?? 0;
    if (open >= this.#most) return false;
    this.#open.set(account, open + 1);
    return true;
  }

  leave(account: string): void {
    const open = this.#open.get(account) ?? 0;
    if (open > 1) this.#open.set(account, open - 1);
    else this.#open.delete(account);
  }
}
