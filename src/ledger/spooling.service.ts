import type { Count, IpoError, Log } from '../base/index.ts';
import { AppendError, isNever, spoolFull, withoutUid } from './append-error.ts';
import { Held } from './held.ts';
import { recordedRow, type Appended, type LedgerEntry } from './new-row.ts';
import type { LedgerWriter, Spool, Stored, Timers } from './ports.ts';
import { leftIn, oldestIn } from './spool-left.ts';

/** SpoolingDeps are the parts that the spool is worked with. */
export interface SpoolingDeps {
  readonly writer: LedgerWriter;
  readonly spool: Spool;
  readonly timers: Timers;
  readonly log: Log;
  readonly count: Count;
  /** Milliseconds within which the database must take what waits, so that it is not late. */
  readonly deadline: number;
  /** Told of each review that was put back. */
  readonly stored: (uid: string, stored: Stored) => void;
}

/** Rows that are put back in one transaction. */
const BACK_ROWS = 256;
const FIRST_RETRY = 100;
const LAST_RETRY = 5000;
/** While the process waits for the spool to end, the database is asked more often. */
const CLOSING_RETRY = 1000;
/** When the time of the end is over, a transaction under way is given this many milliseconds to tell how it ended. */
const LAST_WRITE = 2000;

/**
 * Spooling keeps reviews in the spool while the database does not take them, and puts them back in their order. As long as it
 * is `holding`, everything new must go through it, so that nothing is written before what came earlier.
 */
export class Spooling {
  readonly #deps: SpoolingDeps;
  /** The entries that wait, by uid, so that a repeat gets the same answer. */
  readonly #kept = new Map<string, LedgerEntry>();
  readonly #held = new Held();
  #writes = 0;
  #closing = false;
  #stopped = false;
  #saidLeft = false;
  /** Resolves when nothing is waited for any more. */
  readonly #over = Promise.withResolvers<null>();
  #draining: Promise<void> = Promise.resolve();
  #wake: () => void = () => {};

  constructor(deps: SpoolingDeps) {
    this.#deps = deps;
    for (const entry of deps.spool.entries()) if (entry.uid !== null) this.#kept.set(entry.uid, entry);
    const left = leftIn(deps.spool);
    if (left === null) return;
    deps.log.info('an earlier process left reviews in the spool; they are put back', { ...left });
    deps.count.add('svc_ledger_found_rows_total', {}, left.rows);
    this.hold(null);
  }

  /** Whether rows wait, or may be about to. */
  get holding(): boolean {
    return this.#held.holding;
  }

  /** Whether the database did not take rows in time; false while all that holds them up is that another process writes. */
  get late(): boolean {
    return this.#held.late;
  }

  /** Ends once nothing is held any more, or the database is late. */
  settled(): Promise<void> {
    return this.#held.settled();
  }

  /** Rows that wait. */
  get rows(): number {
    return this.#deps.spool.rows;
  }

  /** Time of the oldest row that waits, in UTC milliseconds; null when none does. */
  get since(): number | null {
    return oldestIn(this.#deps.spool);
  }

  /** Begins to hold what the database does not take in time; `late` is a write under way, as for `sidestep`. */
  hold(late: Promise<unknown> | null): void {
    this.#held.lag();
    this.sidestep(late);
  }

  /** Begins to hold while another process writes; the end of a write under way is waited for before anything is put back. */
  sidestep(late: Promise<unknown> | null = null): void {
    if (this.#held.begin()) this.#draining = this.#drain(late);
  }

  /** Keeps entries, and answers each in its place: recorded, or why not. One call at a time. */
  async take(entries: readonly LedgerEntry[]): Promise<(Appended | AppendError)[]> {
    /** The entry that each uid stands for: one that waits already, else the first of these. */
    const standing = new Map<string, LedgerEntry>();
    const fresh: LedgerEntry[] = [];
    for (const entry of entries) {
      if (entry.uid === null || standing.has(entry.uid)) continue;
      const kept = this.#kept.get(entry.uid);
      standing.set(entry.uid, kept ?? entry);
      if (kept === undefined) fresh.push(entry);
    }
    // Before it is written, since what is written may be put back at once.
    for (const entry of fresh) this.#kept.set(entry.uid ?? '', entry);
    const { taken, refusal } = await this.#append(fresh);
    const refused = new Set(fresh.slice(taken));
    for (const { uid } of refused) this.#kept.delete(uid ?? '');
    return entries.map((entry) => {
      const kept = standing.get(entry.uid ?? '');
      if (kept === undefined) return withoutUid();
      if (refused.has(kept)) return refusal;
      return {
        rows: kept.rows.map((row) => recordedRow(kept.uid, row, null)),
        repeat: kept !== entry,
        delayed: this.late,
      };
    });
  }

  /**
   * Ends, when nothing is taken any more: goes on putting back for at most this many milliseconds. What the database has not taken by then
   * stays in the spool for the next process on it, and is logged.
   */
  async close(forMs = 0): Promise<void> {
    const { spool, log } = this.#deps;
    this.#closing = true;
    if (this.holding && forMs > 0) {
      const waiting = leftIn(spool);
      if (waiting !== null)
        log.info('the spool is put back before the end; a second signal ends at once', {
          ...waiting,
          at_most_ms: forMs,
        });
      this.#wake();
      await this.#drained(forMs);
    }
    this.#stopped = true;
    this.#wake();
    await this.#drained(LAST_WRITE);
    this.#over.resolve(null);
    await this.#draining;
    this.sayLeft();
    await spool.close();
  }

  /** Logs what an end now leaves in the spool, if anything; once. */
  sayLeft(): void {
    const left = this.#saidLeft ? null : leftIn(this.#deps.spool);
    if (left === null) return;
    this.#saidLeft = true;
    this.#deps.log.warn('the service ends with reviews that the database has not; they stay in the spool', {
      ...left,
      hint: `Start a service on this directory, or run: ipo ledger put-back ${left.spool} --database URL`,
    });
  }

  /** Gives how many were taken, and what to say to the others. */
  async #append(fresh: readonly LedgerEntry[]): Promise<{ taken: number; refusal: AppendError }> {
    if (fresh.length === 0) return { taken: 0, refusal: spoolFull() };
    const { spool, log, count } = this.#deps;
    this.#writes += 1;
    try {
      const taken = await spool.append(fresh);
      const rows = fresh.slice(0, taken).reduce((sum, entry) => sum + entry.rows.length, 0);
      if (rows > 0) count.add('svc_ledger_spooled_rows_total', {}, rows);
      const left = fresh.length - taken;
      if (left > 0) {
        count.add('svc_ledger_unrecorded_total', { reason: 'spool_full' }, left);
        log.error('the spool of the ledger is full; reviews are not recorded', {
          reviews: left,
          rows: spool.rows,
        });
      }
      return { taken, refusal: spoolFull() };
    } catch (cause) {
      count.add('svc_ledger_unrecorded_total', { reason: 'spool_fault' }, fresh.length);
      log.error('the spool of the ledger cannot be written; reviews are not recorded', {
        reviews: fresh.length,
        cause,
      });
      const message = 'neither the database nor the spool takes the rows of the review';
      const hint = 'Look at the database and at the disk under the spool';
      return { taken: 0, refusal: new AppendError('unavailable', message, { hint, retryAfter: 5, cause }) };
    } finally {
      this.#writes -= 1;
      this.#wake();
    }
  }

  #overdue(): void {
    const { log, spool, deadline } = this.#deps;
    log.warn('the database did not commit ledger rows in time; the spool takes over', {
      deadline,
      rows: spool.rows,
    });
    this.#held.lag();
  }

  async #drain(late: Promise<unknown> | null): Promise<void> {
    const { writer, spool, log, count, timers, deadline } = this.#deps;
    await Promise.race([late?.catch(() => {}), this.#over.promise]);
    let retry = FIRST_RETRY;
    let rows = BACK_ROWS;
    let said = false;
    while (!this.#stopped) {
      const entries = spool.peek(rows);
      if (entries.length === 0) {
        if (this.#writes === 0) break;
        await this.#pause(LAST_RETRY, true);
        continue;
      }
      let stored: readonly Stored[] | null;
      const cancel = this.late ? () => {} : timers.after(deadline, () => this.#overdue());
      try {
        stored = await Promise.race([writer.appendAll(entries), this.#over.promise]);
      } catch (error) {
        if (isNever(error)) {
          if (entries.length > 1) rows = 1;
          else await this.#setAside(error);
        } else {
          this.#held.lag();
          if (!said)
            log.warn('the database does not take ledger rows; they wait in the spool', {
              rows: spool.rows,
              cause: error,
            });
          said = true;
          await this.#pause(this.#closing ? Math.min(retry, CLOSING_RETRY) : retry, false);
          retry = Math.min(retry * 2, LAST_RETRY);
        }
        continue;
      } finally {
        cancel();
      }
      // It may be committed yet: then it is found to be there when it is put back once more.
      if (stored === null) return;
      const committed = stored;
      entries.forEach(({ uid }, i) => {
        this.#kept.delete(uid ?? '');
        this.#deps.stored(uid ?? '', committed[i] as Stored);
      });
      rows = BACK_ROWS;
      retry = FIRST_RETRY;
      count.add(
        'svc_ledger_put_back_rows_total',
        {},
        entries.reduce((sum, entry) => sum + entry.rows.length, 0),
      );
      await this.#drop(entries.length);
    }
    if (!this.#stopped || spool.rows === 0) this.#held.end();
    if (said) log.info('the spool of the ledger is empty again');
  }

  /** What cannot be let go comes back at the next start, and is found to be there already. */
  async #drop(entries: number): Promise<void> {
    await this.#deps.spool.drop(entries, !this.late).catch((cause: unknown) => {
      this.#deps.log.warn('what was put back could not be taken out of the spool', { entries, cause });
    });
  }

  async #setAside(error: IpoError): Promise<void> {
    const { spool, log, count } = this.#deps;
    const [entry] = spool.peek(1);
    this.#kept.delete(entry?.uid ?? '');
    count.add('svc_ledger_set_aside_total');
    log.error('a review in the spool can never be stored; it is set aside', {
      uid: entry?.uid,
      cause: error,
    });
    try {
      await spool.setAside(error.message);
    } catch (cause) {
      log.error('a review of the spool could not be set aside', { uid: entry?.uid, cause });
    }
  }

  /** Waits; not longer than until it is to stop, or until entries were kept where that is what is waited for. */
  #pause(ms: number, forEntries: boolean): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#deps.timers.after(ms, resolve);
      this.#wake = () => {
        if (!this.#closing && !forEntries) return;
        cancel();
        resolve();
      };
    });
  }

  /** Waits until nothing is put back any more, but no longer than this many milliseconds. */
  async #drained(ms: number): Promise<void> {
    const late = Promise.withResolvers<void>();
    const cancel = this.#deps.timers.after(ms, late.resolve);
    await Promise.race([this.#draining, late.promise]);
    cancel();
  }
}
