/**
 * CallLine is a line of tasks in which every account has its turn: of those that wait, the next is the oldest of the account that was
 * served longest ago, and no account has more than `most` running while another may wait for a thread.
 */
export class CallLine<T> {
  readonly #most: number;
  /** In the order of their turns. */
  readonly #waiting = new Map<string, T[]>();
  readonly #running = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(account: string, task: T): void {
    const own = this.#waiting.get(account);
    if (own === undefined) this.#waiting.set(account, [task]);
    else own.push(task);
  }

  /** Takes the next task out of the line, which runs until `done`; null where none may begin. */
  next(): T | null {
    for (const [account, [task, ...rest]] of this.#waiting) {
      const running = this.#running.get(account) ?? 0;
      if (task === undefined || running >= this.#most) continue;
      this.#waiting.delete(account);
      if (rest.length > 0) this.#waiting.set(account, rest);
      this.#running.set(account, running + 1);
      return task;
    }
    return null;
  }

  /** Tells that a task of an account no longer runs. */
  done(account: string): void {
    const running = this.#running.get(account) ?? 0;
    if (running > 1) this.#running.set(account, running - 1);
    else this.#running.delete(account);
  }

  /** Takes a task that waits out of the line; false where it does not wait. */
  drop(account: string, task: T): boolean {
    const own = this.#waiting.get(account);
    if (own === undefined || !own.includes(task)) return false;
    const rest = own.filter((one) => one !== task);
    if (rest.length > 0) this.#waiting.set(account, rest);
    else this.#waiting.delete(account);
    return true;
  }

  /** Takes out all that waits. */
  clear(): readonly T[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return all;
  }
}
