import type { Clock, Log } from '../base/index.ts';
import type { Holding, Report, ReplicaStore, SpoolNotes } from './ports.ts';
import {
  BEAT,
  stateOf,
  type Question,
  type ReplicaLine,
  type ReplicaName,
  type ReplicaStanding,
} from './replica.ts';

/** ReportDeps are what a replica speaks of itself with. */
export interface ReportDeps {
  readonly cluster: string;
  readonly store: Pick<ReplicaStore, 'begin' | 'report' | 'end' | 'read'>;
  readonly ledger: Holding;
  /** Null where no cluster keeps notes. */
  readonly notes: Pick<SpoolNotes, 'write'> | null;
  /** The name of the spool's volume; `another` gives a new one, where a later life has begun on a copy of this volume. */
  readonly me: ReplicaName;
  readonly another: () => Promise<ReplicaName>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asked is a question that was read, and what had been taken on until then. */
interface Asked extends Question {
  readonly mark: number;
}

/**
 * ReplicaReport says in the database whether this replica holds rows that the database has not, and answers the questions of sweeps. What
 * it cannot write, it does not say: a replica without its database is silent, and silence is not an answer.
 */
export class ReplicaReport {
  readonly #deps: ReportDeps;
  #me: ReplicaName;
  #since: number | null = null;
  /** What was written last. */
  #written: Pick<Report, 'at' | 'holdingSince'> | null = null;
  #answered: string | null = null;
  #asked: Asked | null = null;
  /** What the Lease says of this replica; undefined while that is not known. */
  #noted: number | null | undefined = undefined;
  #replaced = false;
  #begun = false;
  #ended = false;
  #silent = false;
  #turn: Promise<void> = Promise.resolve();
  #lines: readonly ReplicaLine[] = [];
  readonly #changed = new Map<string, { readonly seenAt: number; readonly since: number }>();

  constructor(deps: ReportDeps) {
    this.#deps = deps;
    this.#me = deps.me;
  }

  get name(): string {
    return this.#me.name;
  }

  /**
   * Makes the line of this life. Before it is there, no review may be answered, unless this life takes over from one that was killed
   * (`takesOver`): its line is there, and silent, which is not an answer. Then a database that does not take the line is not waited for.
   */
  async begin(takesOver = false): Promise<void> {
    this.#watch();
    if (takesOver) void this.tick();
    else await this.#begin();
  }

  async #begin(): Promise<void> {
    const { store, log, another } = this.#deps;
    const isOurs = await store.begin(this.#now());
    this.#begun = true;
    if (isOurs) return;
    const { name } = this.#me;
    this.#me = await another();
    log.warn(
      'another process has worked on this volume since, or on a copy of it; this replica takes a new name',
      {
        name: this.#me.name,
        before: name,
        hint: `ipo cluster forget-replica ${name} once its rows are known to be lost`,
      },
    );
    await store.begin(this.#now());
  }

  /** Looks for a question, answers it if it can, and writes what has changed. Never rejects. */
  tick(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#tick());
    return this.#turn;
  }

  /** Says that this replica ended, where it left nothing; to be called when nothing is appended any more. Never rejects. */
  async end(): Promise<void> {
    const { store, ledger, notes, clock, log } = this.#deps;
    await this.tick();
    this.#ended = true;
    await this.#turn;
    const { name, life } = this.#me;
    // Whatever was under way has ended by now: what is not in the spool is in the database. What is there was logged with its place, and
    // the line goes on to count.
    if (ledger.waiting.spooled > 0) return;
    try {
      if (this.#noted !== null) await notes?.write(name, null);
      if (!this.#replaced) await store.end(name, life, clock.now());
    } catch (error) {
      log.warn('that this replica ended could not be written; sweeps wait until it is started again', {
        name,
        error,
      });
    }
  }

  /** The replicas of this cluster as they stand now. Rejects while the database does not answer. */
  async look(): Promise<ReplicaStanding[]> {
    const { lines } = await this.#deps.store.read(this.#deps.cluster);
    this.#see(lines);
    return this.standings();
  }

  /** The replicas of this cluster as they were last seen; without I/O. */
  standings(): ReplicaStanding[] {
    const now = this.#deps.clock.now();
    return this.#lines.map((line) => ({ line, state: stateOf(line, this.#silence(line, now)) }));
  }

  async #tick(): Promise<void> {
    if (this.#ended) return;
    this.#watch();
    if (this.#since !== null) await this.#note(this.#since);
    try {
      if (!this.#begun) await this.#begin();
      await this.#speak();
      this.#silent = false;
    } catch (error) {
      if (!this.#silent)
        this.#deps.log.warn('this replica cannot say in the database how it stands', { error });
      this.#silent = true;
      return;
    }
    if (this.#since === null) await this.#note(null);
  }

  async #speak(): Promise<void> {
    const { store, cluster, ledger, clock } = this.#deps;
    const { question, lines } = await store.read(cluster);
    this.#see(lines);
    // What is taken on later is of pods that nobody has listed yet.
    if (question !== null && question.token !== this.#asked?.token)
      this.#asked = { ...question, mark: ledger.mark() };
    this.#watch();
    const asked = this.#asked;
    const answer = asked !== null && asked.token !== this.#answered && ledger.past(asked.mark) ? asked : null;
    const now = clock.now();
    const written = this.#written;
    const due = written === null || now - written.at >= BEAT || now < written.at;
    const there = lines.some(
      ({ name, life, forgottenAt }) => name === this.name && life === this.#me.life && forgottenAt === null,
    );
    if (answer === null && !due && there && written.holdingSince === this.#since) return;
    await this.#write({ ...this.#now(), answer });
    if (answer !== null) this.#answered = answer.token;
  }

  async #write(report: Report): Promise<void> {
    if (this.#replaced) return;
    const { store, log } = this.#deps;
    let outcome = await store.report(report);
    if (outcome === 'absent') {
      // The database was put back to a time before this replica.
      this.#answered = null;
      await store.begin(report);
      outcome = await store.report(report);
    }
    this.#written = report;
    if (outcome !== 'later') return;
    this.#replaced = true;
    log.error('another process works on the spool of this replica', { name: this.name });
  }

  /** Notes on the Lease that this replica spools, or that it does not any more. */
  async #note(since: number | null): Promise<void> {
    const { notes, log } = this.#deps;
    if (notes === null || this.#noted === since) return;
    try {
      await notes.write(this.name, since);
      this.#noted = since;
    } catch (error) {
      log.info('the Lease does not say yet whether this replica spools', { error });
    }
  }

  #watch(): void {
    const { ledger, clock } = this.#deps;
    if (!ledger.delayed) this.#since = null;
    // The spool may be that of an earlier process.
    else this.#since ??= Math.min(clock.now(), ledger.waiting.since ?? Infinity);
  }

  #now(): Omit<Report, 'answer'> {
    const { cluster, ledger, clock } = this.#deps;
    const { name, life } = this.#me;
    return { name, life, cluster, at: clock.now(), holdingSince: this.#since, rows: ledger.waiting.spooled };
  }

  /** Keeps since when each line stands as it is, by the clock of this process. */
  #see(lines: readonly ReplicaLine[]): void {
    const now = this.#deps.clock.now();
    this.#lines = lines;
    for (const { name, seenAt } of lines) {
      const before = this.#changed.get(name);
      // A line that is met for the first time may be old: its own time is all there is.
      if (before?.seenAt !== seenAt)
        this.#changed.set(name, { seenAt, since: before === undefined ? Math.min(now, seenAt) : now });
    }
    for (const name of this.#changed.keys())
      if (!lines.some((line) => line.name === name)) this.#changed.delete(name);
  }

  #silence({ name, seenAt }: ReplicaLine, now: number): number {
    return now - (this.#changed.get(name)?.since ?? seenAt);
  }
}
