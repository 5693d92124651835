import type { Log } from '../base/index.ts';
import type { Appended, LedgerAppend, NewRow, Timers } from '../ledger/index.ts';
import { Deadlines } from './deadlines.service.ts';

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
  readonly #deadlines: Deadlines;

  /** `budget`: milliseconds of a whole answer. */
  constructor(deps: RecordingDeps, budget: number) {
    this.#deps = deps;
    this.#budget = budget;
    this.#deadlines = new Deadlines(deps.timers);
  }

  /** Appends within what is left of the budget after `spent` milliseconds. Never rejects. */
  take(uid: string, rows: readonly NewRow[], spent: number): Promise<Recorded> {
    const { ledger, log } = this.#deps;
    return new Promise((resolve) => {
      let gaveUp = false;
      const due = this.#deadlines.after(this.#budget - spent, () => {
        gaveUp = true;
        resolve({ fault: 'no answer in time' });
      });
      appended(ledger, uid, rows).then(
        (recorded) => {
          this.#deadlines.drop(due);
          // It was counted as unrecorded, and perhaps refused for that: a reader who compares the two must find why.
          if (gaveUp) log.warn('the ledger took an admission review after it had been answered', { uid });
          return resolve(recorded);
        },
        (fault: unknown) => {
          this.#deadlines.drop(due);
          return resolve({ fault });
        },
      );
    });
  }
}

/** What a ledger throws at once is the same error as what it throws later. */
function appended(ledger: LedgerAppend, uid: string, rows: readonly NewRow[]): Promise<Appended> {
  try {
    return ledger.append({ uid, rows });
  } catch (error) {
    return Promise.reject(error);
  }
}
