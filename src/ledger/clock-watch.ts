import { formatTime, type Clock, type Count, type Log } from '../base/index.ts';
import type { LedgerEntry } from './new-row.ts';

/** CLOCK_TOLERANCE is how many milliseconds a clock may be behind: the clocks of two replicas differ a little. */
const CLOCK_TOLERANCE = 2000;
/** After this many looks in a row that found nothing, the clock counts as right again: one that is only just behind is told once. */
const CALM = 5;

/** Recorded is the newest time that the ledger knows, and what showed it: a signed checkpoint or a row. UTC milliseconds. */
export interface Recorded {
  readonly at: number;
  readonly by: 'checkpoint' | 'row';
}

/** RecordedTimes is where the times that were recorded, by whichever replica and before whichever restart, are asked for. */
export interface RecordedTimes {
  /** Null while nothing is recorded since the clock was accepted last. */
  newest(): Promise<Recorded | null>;
  /** Which accepted clock the times count from: changed when an operator accepts the clock again. */
  acceptedSize(): Promise<number>;
}

/** ClockStanding is how the clock of this replica stands. */
export interface ClockStanding {
  /** Milliseconds that it is behind; 0 within the tolerance. */
  readonly behind: number;
  /** What it is behind of; null where nothing is recorded. */
  readonly recorded: Recorded | null;
}

/** ClockWatchDeps are what a clock is watched with. */
export interface ClockWatchDeps {
  readonly times: RecordedTimes;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

/**
 * ClockWatch tells whether the clock runs behind what was recorded already, and marks the rows that are made meanwhile. Nothing can tell
 * a clock that was set back from one that was right again after it had been ahead, so the mark stands for both: until the clock has
 * passed what was recorded, or an operator accepts it. Rows are ordered by their number, whatever their time.
 */
export class ClockWatch {
  readonly #deps: ClockWatchDeps;
  #newest: Recorded | null = null;
  #accepted: number | null = null;
  #warned = false;
  #calm = 0;

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps;
  }

  /** How the clock stands now; without I/O. */
  standing(): ClockStanding {
    const newest = this.#newest;
    const behind = newest === null ? 0 : newest.at - this.#deps.clock.now();
    return { behind: behind > CLOCK_TOLERANCE ? behind : 0, recorded: newest };
  }

  /** Asks what was recorded; to be called at the start and now and then. Rejects while the database does not answer. */
  async look(): Promise<void> {
    const { times } = this.#deps;
    const [accepted, newest] = [await times.acceptedSize(), await times.newest()];
    if (this.#accepted !== null && accepted !== this.#accepted) this.#newest = null;
    this.#accepted = accepted;
    if (newest !== null && newest.at > (this.#newest?.at ?? -Infinity)) this.#newest = newest;
    if (this.#judge() > 0) return;
    this.#calm += 1;
    if (!this.#warned || this.#calm < CALM) return;
    this.#warned = false;
    this.#deps.log.info('the clock has passed what the ledger has recorded; rows are no longer marked');
  }

  /** Takes in a row that waits in the spool since before the start: the database does not know its time yet. */
  saw(at: number): void {
    if (at > (this.#newest?.at ?? -Infinity)) this.#newest = { at, by: 'row' };
  }

  /**
   * Gives an entry as it is to be appended: rows that a clock made that is behind are marked. What was begun before and took its time is
   * not: the clock itself must be behind, not only the row.
   */
  mark(entry: LedgerEntry): LedgerEntry {
    const { clock, count } = this.#deps;
    const behind = this.#judge();
    const newest = this.#newest;
    if (behind === 0 || newest === null) {
      const now = clock.now();
      if (now > (newest?.at ?? -Infinity)) this.#newest = { at: now, by: 'row' };
      return entry;
    }
    let marked = 0;
    const rows = entry.rows.map((row) => {
      if (row.at >= newest.at - CLOCK_TOLERANCE) return row;
      marked += 1;
      return { ...row, clock_suspect: true };
    });
    if (marked > 0) count.add('svc_ledger_clock_suspect_rows_total', {}, marked);
    return marked === 0 ? entry : { ...entry, rows };
  }

  /** Milliseconds that the clock is behind, warned of when that begins. */
  #judge(): number {
    const { behind, recorded } = this.standing();
    if (behind === 0 || recorded === null) return 0;
    this.#calm = 0;
    if (!this.#warned)
      this.#deps.log.warn('the clock is behind what the ledger has recorded; rows are marked clock_suspect', {
        milliseconds: behind,
        recorded: formatTime(recorded.at),
        by: recorded.by,
        hint: 'Correct the clock. If the clock is right, it was ahead before: ipo ledger accept-clock --database URL',
      });
    this.#warned = true;
    return behind;
  }
}
