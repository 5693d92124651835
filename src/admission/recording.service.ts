import type { Log } from '../base/index.ts';
import type { Appended, LedgerAppend, NewRow, Timers } from '../ledger/index.ts';

/** RecordingDeps are what rows are recorded with. */
export interface RecordingDeps {
  readonly ledger: LedgerAppend;
  readonly timers: Timers;
  readonly log: Log;
}

/** Recorded is what became of the rows of a review; `fault`: neither database nor spool took them in time. */
export type Recorded = Pick<Appended, 'rows' | 'repeat' | 'delayed'> | { readonly fault: unknown };

/** Recording appends the rows of reviews and waits for them within the budget of an answer. */
export class Recording {
  readonly #deps: RecordingDeps;
  readonly #budget: number;

  /** `budget`: milliseconds of a whole answer. */
  constructor(deps: RecordingDeps, budget: number) {
    this.#deps = deps;
    this.#budget = budget;
  }

  /** Appends within what is left of the budget after `spent` milliseconds. Never rejects. */
  take(uid: string, rows: readonly NewRow[], spent: number): Promise<Recorded> {
    const { timers, log } = this.#deps;
    return new Promise((resolve) => {
      let gaveUp = false;
      const cancel = timers.after(this.#budget - spent, () => {
        gaveUp = true;
        resolve({ fault: 'no answer in time' });
      });
      void this.#append(uid, rows).then((recorded) => {
        cancel();
        // It was counted as unrecorded, and perhaps refused for that: whoever compares the two must find why.
        if (gaveUp && !('fault' in recorded))
          log.warn('the ledger took an admission review after it had been answered', { uid });
        return resolve(recorded);
      });
    });
  }

  async #append(uid: string, rows: readonly NewRow[]): Promise<Recorded> {
    try {
      return await this.#deps.ledger.append({ uid, rows });
    } catch (fault) {
      return { fault };
    }
  }
}
