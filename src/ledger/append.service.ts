import type { Count, Log } from '../base/index.ts';
import { AppendError, asUnavailable, isNever } from './append-error.ts';
import { AppendQueue, isKeyed, type Waiting } from './append-queue.ts';
import type { ClockWatch } from './clock-watch.ts';
import { checkEntry, type Appended, type LedgerEntry } from './new-row.ts';
import type { LedgerAppend, LedgerWriter, Spool, Stored, Timers } from './ports.ts';
import { RecentReviews } from './recent-reviews.ts';
import { Recorded } from './recorded.ts';
import { Spooling } from './spooling.service.ts';

/** AppenderDeps are the parts that rows are written with; without a spool only the database takes them. */
export interface AppenderDeps {
  readonly writer: LedgerWriter;
  readonly spool: Spool | null;
  readonly timers: Timers;
  readonly log: Log;
  readonly count: Count;
  /** Marks what a clock makes that is behind; absent where rows keep their marks. */
  readonly watch?: Pick<ClockWatch, 'mark' | 'saw'>;
}

/** AppenderOptions bound an appender. */
export interface AppenderOptions {
  /** Rows of one transaction (256); a review with more is a group by itself. */
  readonly groupRows?: number;
  /** Rows that may wait for a transaction (8192). */
  readonly waitingRows?: number;
  /** Milliseconds until the spool takes over from a database that does not commit (1000). */
  readonly deadline?: number;
  /**
   * Whether the spool takes new reviews while another process writes to the database (false): they are answered once they are durable there,
   * and are put back as soon as that process has committed.
   */
  readonly sidesteps?: boolean;
}

/** How long a group may gather at most, in milliseconds. */
const GATHER_MS = 5;
/** Rows that may wait in the spool while others write; beyond, reviews wait for the database, which is then what is slow. */
const SIDESTEP_ROWS = 256;

/**
 * Appender writes rows with group commit: what arrives in turns of the event loop that follow each other, and while the last group is being
 * written, becomes one durable transaction, and each caller is answered after its commit. When the database fails or misses
 * the deadline, the spool takes the group and everything after it, until all is put back. So it does where another process has the
 * database at that moment, which no review need wait for.
 */
export class Appender implements LedgerAppend {
  readonly #deps: AppenderDeps;
  readonly #waitingRows: number;
  readonly #deadline: number;
  readonly #sidesteps: boolean;
  readonly #spooling: Spooling | null;
  readonly #recent = new RecentReviews();
  readonly #queue: AppendQueue;
  #running: Promise<void> | null = null;
  #closed = false;
  /** Reviews that were taken on, and those of them that were answered, in their order. */
  #taken = 0;
  #done = 0;

  constructor(deps: AppenderDeps, options: AppenderOptions = {}) {
    this.#deps = deps;
    this.#queue = new AppendQueue(options.groupRows ?? 256);
    this.#waitingRows = options.waitingRows ?? 8192;
    this.#deadline = options.deadline ?? 1000;
    this.#sidesteps = options.sidesteps ?? false;
    const { spool, watch } = deps;
    if (watch !== undefined)
      for (const { rows } of spool?.entries() ?? []) for (const { at } of rows) watch.saw(at);
    const stored = (uid: string, rows: Stored): void => this.#remember(uid, rows);
    this.#spooling =
      spool === null ? null : new Spooling({ ...deps, spool, stored, deadline: this.#deadline });
  }

  /** Rows that wait: for a transaction, and in the spool; `since` is the time of the oldest there. */
  get waiting(): { readonly queued: number; readonly spooled: number; readonly since: number | null } {
    const { rows = 0, since = null } = this.#spooling ?? {};
    return { queued: this.#queue.rows, spooled: rows, since };
  }

  /** Whether the database does not take rows in time, so that answers should say that the ledger is behind. */
  get delayed(): boolean {
    return this.#spooling?.late ?? false;
  }

  /** Why no review should come here yet, or null. */
  unready(): string | null {
    return this.#deps.writer.unready?.() ?? null;
  }

  /** A place behind every review that was taken on so far. */
  mark(): number {
    return this.#taken;
  }

  /** Whether every review that was taken on before a place is in the database, or was refused: none waits here. */
  past(mark: number): boolean {
    return this.#done >= mark && this.#spooling?.holding !== true;
  }

  append(given: LedgerEntry): Promise<Appended> {
    return new Promise<Appended>((resolve, reject) => this.#take(given, resolve, reject));
  }

  /** Takes an entry on, or throws. */
  #take(given: LedgerEntry, resolve: Waiting['resolve'], reject: Waiting['reject']): void {
    checkEntry(given);
    if (this.#closed) throw new AppendError('unavailable', 'the service is stopping', { retryAfter: 5 });
    const queued = this.#queue.rows;
    if (queued > 0 && queued + given.rows.length > this.#waitingRows) {
      this.#deps.count.add('svc_ledger_unrecorded_total', { reason: 'queue_full' });
      throw new AppendError('unavailable', `${queued} rows are waiting to be written already`, {
        hint: 'The ledger is slower than the admissions that arrive; check its disk or its database server',
        retryAfter: 1,
      });
    }
    // Before it waits anywhere: what the spool puts back later was made by a clock that was right.
    const entry = this.#deps.watch?.mark(given) ?? given;
    this.#taken += 1;
    this.#queue.add({ entry, resolve, reject });
    this.#running ??= this.#gather().then(() => this.#run());
  }

  /**
   * Writes what waits and takes nothing more. The spool is put back for at most `spoolMs`; what the database does not take by then stays
   * there for the next start, and is logged.
   */
  async close(spoolMs = 0): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#spooling?.settled();
    await this.#spooling?.close(spoolMs);
  }

  /** Logs what an end at once leaves in the spool. */
  sayLeft(): void {
    this.#spooling?.sayLeft();
  }

  /** Waits until a turn of the event loop brings nothing more: what arrives one by one, but at once, shares a commit. */
  async #gather(): Promise<void> {
    const began = performance.now();
    let before: number;
    do {
      before = this.#queue.rows;
      await new Promise((done) => setImmediate(done));
    } while (this.#queue.rows > before && !this.#queue.isFull && performance.now() - began < GATHER_MS);
  }

  async #run(): Promise<void> {
    while (this.#queue.rows > 0) {
      const group = this.#queue.take();
      await this.#begin(group); // with a turn also where nothing is awaited: answers leave before the next group
      this.#done += group.length;
    }
    this.#running = null;
  }

  /** Writes a group; null where that is done at once, as nearly every time. */
  #begin(group: readonly Waiting[]): Promise<void> | null {
    if (this.#spooling?.holding === true) return this.#besideSpool(this.#spooling, group);
    try {
      return this.#appendedNow(group) ? null : this.#toStore(group);
    } catch (error) {
      return this.#failed(group, error);
    }
  }

  async #besideSpool(spooling: Spooling, group: readonly Waiting[]): Promise<void> {
    if (!spooling.late && !this.#maySidestep(group)) await spooling.settled();
    if (spooling.holding) await this.#toSpool(spooling, group);
    else await this.#begin(group);
  }

  /** Whether the spool may take a group while others write: a repeat is answered with what is stored, and what has no uid is told its outcome. */
  #maySidestep(group: readonly Waiting[]): boolean {
    const { writer, spool } = this.#deps;
    if (!this.#sidesteps || spool === null || spool.rows > SIDESTEP_ROWS) return false;
    return group.every(isKeyed) && writer.areNew?.(group.map(({ entry }) => entry)) === true;
  }

  /** Appends without waiting, where that is possible; false where nothing was done. Throws as the writer does. */
  #appendedNow(group: readonly Waiting[]): boolean {
    const stored = this.#deps.writer.appendNow?.(group.map(({ entry }) => entry)) ?? null;
    if (stored !== null) this.#answer(group, stored);
    return stored !== null;
  }

  async #toStore(group: readonly Waiting[]): Promise<void> {
    const { writer, log } = this.#deps;
    const spooling = this.#spooling;
    let writing: Promise<readonly Stored[]>;
    let stored: readonly Stored[] | null;
    try {
      if (spooling !== null && this.#maySidestep(group)) {
        spooling.sidestep();
        await this.#toSpool(spooling, group);
        return;
      }
      writing = writer.appendAll(group.map(({ entry }) => entry));
      stored = await (spooling === null ? writing : this.#inTime(writing));
    } catch (error) {
      await this.#failed(group, error);
      return;
    }
    if (stored !== null || spooling === null) {
      this.#answer(group, stored ?? []);
      return;
    }
    log.warn('the database did not commit ledger rows in time; the spool takes over', {
      deadline: this.#deadline,
    });
    spooling.hold(writing);
    // What has no uid cannot be known again, so it waits for the write's own end.
    const [known, unknown] = [group.filter(isKeyed), group.filter((waiting) => !isKeyed(waiting))];
    if (unknown.length > 0) void this.#answerLate(group, unknown, writing);
    await this.#toSpool(spooling, known);
  }

  async #failed(group: readonly Waiting[], error: unknown): Promise<void> {
    if (isNever(error)) {
      // One entry that can never be stored must not take the others with it.
      if (group.length === 1) group[0]?.reject(error);
      else for (const waiting of group) await this.#begin([waiting]);
      return;
    }
    if (this.#spooling !== null) {
      this.#deps.log.warn('the database does not take ledger rows; the spool takes over', { cause: error });
      this.#spooling.hold(null);
      await this.#toSpool(this.#spooling, group);
      return;
    }
    this.#deps.count.add('svc_ledger_unrecorded_total', { reason: 'store' }, group.length);
    for (const { reject } of group) reject(asUnavailable(error));
  }

  async #toSpool(spooling: Spooling, all: readonly Waiting[]): Promise<void> {
    const group = all.filter(({ entry, resolve }) => {
      const stored = this.#recent.get(entry.uid ?? '');
      if (stored !== undefined) resolve({ rows: stored.rows, repeat: true, delayed: false });
      return stored === undefined;
    });
    if (group.length === 0) return;
    const answers = await spooling.take(group.map(({ entry }) => entry));
    group.forEach(({ resolve, reject }, i) => {
      const answer = answers[i];
      if (answer === undefined || answer instanceof AppendError) reject(answer);
      else resolve(answer);
    });
  }

  #answer(group: readonly Waiting[], stored: readonly Stored[]): void {
    let rows = 0;
    for (let i = 0; i < group.length; i += 1) {
      const { entry, resolve } = group[i] as Waiting;
      const answer = stored[i] as Stored;
      if (!answer.repeat) rows += entry.rows.length;
      if (entry.uid !== null) this.#remember(entry.uid, answer);
      resolve(new Recorded(answer));
    }
    if (rows > 0) this.#deps.count.add('svc_ledger_rows_total', {}, rows);
  }

  #remember(uid: string, stored: Stored): void {
    if (this.#deps.spool !== null) this.#recent.add(uid, stored);
  }

  async #answerLate(
    group: readonly Waiting[],
    unknown: readonly Waiting[],
    writing: Promise<readonly Stored[]>,
  ): Promise<void> {
    try {
      const stored = await writing;
      this.#answer(
        unknown,
        unknown.map((waiting) => stored[group.indexOf(waiting)] as Stored),
      );
    } catch (error) {
      for (const { reject } of unknown) reject(asUnavailable(error));
    }
  }

  /** The outcome, or null when the deadline passes first. */
  async #inTime(writing: Promise<readonly Stored[]>): Promise<readonly Stored[] | null> {
    let cancel = (): void => {};
    const late = new Promise<null>((resolve) => {
      cancel = this.#deps.timers.after(this.#deadline, () => resolve(null));
    });
    try {
      return await Promise.race([writing, late]);
    } finally {
      cancel();
    }
  }
}
