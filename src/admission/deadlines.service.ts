import type { Timers } from '../ledger/index.ts';

/** Deadline is an act that is due at a time, unless it is dropped before. */
export interface Deadline {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly act: () => void;
}

/** Deadlines keeps one timer for many acts that are nearly always dropped: a timer for each would cost more than what it watches. */
export class Deadlines {
  readonly #timers: Timers;
  readonly #pending = new Set<Deadline>();
  /** When the timer goes off: no later than anything is due. */
  #next = Infinity;
  #cancel = (): void => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs `act` after some milliseconds, unless what is given back is dropped before. */
  after(ms: number, act: () => void): Deadline {
    const deadline = { at: performance.now() + ms, act };
    this.#pending.add(deadline);
    if (deadline.at < this.#next) {
      this.#cancel();
      this.#wait(deadline.at, ms);
    }
    return deadline;
  }

  drop(deadline: Deadline): void {
    this.#pending.delete(deadline);
  }

  #wait(at: number, ms: number): void {
    this.#next = at;
    this.#cancel = this.#timers.after(ms, () => this.#passed());
  }

  #passed(): void {
    const passed = this.#next;
    this.#next = Infinity;
    this.#cancel = () => {};
    const due = [...this.#pending].filter(({ at }) => at <= passed);
    for (const deadline of due) this.#pending.delete(deadline);
    let next = Infinity;
    for (const { at } of this.#pending) next = Math.min(next, at);
    if (next < Infinity) this.#wait(next, next - passed);
    for (const { act } of due) act();
  }
}
