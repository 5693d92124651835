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
  async take(uid: string, rows: readonly NewRow[], spent: number): Promise<Recorded> {
    const { ledger, timers, log } = this.#deps;
    const late = Promise.withResolvers<Recorded>();
    let gaveUp = false;
    const cancel = timers.after(this.#budget - spent, () => {
      gaveUp = true;
      late.resolve({ fault: 'no answer in time' });
    });
    const appended = ledger.append({ uid, rows }).then(
      (recorded): Recorded => {
        // It was counted as unrecorded, and perhaps refused for that: whoever compares the two must find why.
        if (gaveUp) log.warn('the ledger took an admission review after it had been answered', { uid });
        return recorded;
      },
      (fault: unknown): Recorded => ({ fault }),
    );
    const recorded = await Promise.race([appended, late.promise]);
    cancel();
    return recorded;
  }
}
