import type { Timers } from '../ledger/index.ts';

/** Deadline is an act that is due at a time, unless it is dropped before. */
export interface Deadline {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly act: () => void;
  /** Its neighbours among those that wait. */
  before: Deadline | null;
  behind: Deadline | null;
}

/**
 * Deadlines keeps one timer for many acts that are nearly always dropped: a timer for each would cost more than what it watches. They are
 * linked by hand: a set keeps recreating its table, and an old table keeps its content from being collected.
 */
export class Deadlines {
  readonly #timers: Timers;
  #first: Deadline | null = null;
  /** When the timer goes off: no later than anything is due. */
  #next = Infinity;
  #cancel = (): void => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs `act` after some milliseconds, unless what is given back is dropped before. */
  after(ms: number, act: () => void): Deadline {
    const at = performance.now() + ms;
    const deadline: Deadline = { at, act, before: null, behind: this.#first };
    if (this.#first !== null) this.#first.before = deadline;
    this.#first = deadline;
    if (at < this.#next) {
      this.#cancel();
      this.#wait(at, ms);
    }
    return deadline;
  }

  /** Drops what has not passed. */
  drop(deadline: Deadline): void {
    const { before, behind } = deadline;
    if (before !== null) before.behind = behind;
    else if (this.#first === deadline) this.#first = behind;
    if (behind !== null) behind.before = before;
    deadline.before = deadline.behind = null;
    if (this.#first !== null || this.#next === Infinity) return;
    // A timer that nothing waits for would keep a process that ends, and fires when the clock is set forward.
    this.#cancel();
    this.#next = Infinity;
  }

  #wait(at: number, ms: number): void {
    this.#next = at;
    this.#cancel = this.#timers.after(ms, () => this.#passed());
  }

  #passed(): void {
    const passed = this.#next;
    this.#next = Infinity;
    this.#cancel = () => {};
    const due: Deadline[] = [];
    let next = Infinity;
    for (let one = this.#first; one !== null; one = one.behind) {
      if (one.at <= passed) due.push(one);
      else next = Math.min(next, one.at);
    }
    for (const deadline of due) this.drop(deadline);
    if (next < Infinity) this.#wait(next, next - passed);
    for (const { act } of due.toReversed()) act();
  }
}
