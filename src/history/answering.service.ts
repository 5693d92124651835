import type { Clock } from '../base/index.ts';
import type { AnsweredMinutes } from './ports.ts';

const MINUTE = 60_000;
/** Minutes that wait for a database that is away: a week. Of more, the oldest are given up, and count as not answered. */
const MOST = 7 * 24 * 60;

/** AnsweringDeps are what the record is kept with. */
export interface AnsweringDeps {
  /** Empty where the service has no name for it. */
  readonly cluster: string;
  /** Whether this replica is ready and its webhook answers. Without I/O. */
  answers(): boolean;
  readonly minutes: AnsweredMinutes;
  readonly clock: Clock;
}

/**
 * AnsweringRecord keeps the minutes in which this replica answered reviews. It looks several times in a minute, without waiting for
 * anything, and hands over what it saw when the database takes it: a minute in which the database was away is written later. What a
 * process takes along when it dies counts as not answered.
 */
export class AnsweringRecord {
  readonly #deps: AnsweringDeps;
  readonly #waiting = new Set<number>();
  /** The newest minute that was handed over. */
  #kept: number | null = null;

  constructor(deps: AnsweringDeps) {
    this.#deps = deps;
  }

  /** Looks whether reviews are answered now. */
  look(): void {
    if (!this.#deps.answers()) return;
    const minute = Math.floor(this.#deps.clock.now() / MINUTE);
    if (minute === this.#kept) return;
    this.#waiting.add(minute);
    if (this.#waiting.size > MOST) this.#waiting.delete(Math.min(...this.#waiting));
  }

  /** Hands over what waits. Rejects when the database does not take it; then it waits on. */
  async flush(): Promise<void> {
    const minutes = [...this.#waiting].toSorted((a, b) => a - b);
    const last = minutes.at(-1);
    if (last === undefined) return;
    await this.#deps.minutes.keep(this.#deps.cluster, minutes);
    for (const minute of minutes) this.#waiting.delete(minute);
    this.#kept = last;
  }
}
