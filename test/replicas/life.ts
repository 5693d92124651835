import { nextLife, openFileSpool } from '../../src/adapters/spool/index.ts';
import { Appender, type LedgerEntry, type LedgerWriter, type Spool } from '../../src/ledger/index.ts';
import { ReplicaReport, type Note, type ReplicaStore, type SpoolNotes } from '../../src/replicas/index.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { replicaStore } from '../../src/store/cluster/replicas.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { listen, tally } from '../ledger/parts.ts';
import type { VirtualTime } from './time.ts';

/** Outage is how a database is away: it refuses, it hangs until it is back, or it does what it is told and the answer is lost. */
export type Outage = 'refuses' | 'hangs' | 'answers are lost';

/** Link is what lies between a replica and its database. */
export class Link {
  outage: Outage | null = null;
  #back: () => void = () => {};
  #wait: Promise<void> = Promise.resolve();

  down(outage: Outage): void {
    if (this.outage === null) this.#wait = new Promise((resolve) => (this.#back = resolve));
    this.outage = outage;
  }

  up(): void {
    this.outage = null;
    this.#back();
  }

  /** Does an act as far as the link lets it. */
  async through<T>(time: VirtualTime, act: () => Promise<T>): Promise<T> {
    if (this.outage === 'refuses') throw new Error('connect ECONNREFUSED');
    if (this.outage === 'hangs') await this.#wait;
    const lost = this.outage === 'answers are lost';
    const value = await time.during(act);
    if (lost) throw new Error('Connection terminated unexpectedly');
    return value;
  }
}

/** LifeOptions are what one process of a replica is made of. */
export interface LifeOptions {
  readonly store: Store;
  readonly cluster: string;
  readonly notes: Map<string, number>;
  readonly directory: string;
  readonly host: string;
  readonly link: Link;
  readonly time: VirtualTime;
  /** Milliseconds by which its clock is wrong. */
  readonly skew: number;
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** Life is one process of a replica: the service's own appender, spool and report, over a link that fails. */
export class Life {
  readonly #options: LifeOptions;
  dead = false;
  /** SIGTERM came: nothing new is sent to it. */
  leaving = false;
  #close: () => Promise<void> = async () => {};
  appender!: Appender;
  report!: ReplicaReport;
  readonly log = listen();

  private constructor(options: LifeOptions) {
    this.#options = options;
  }

  /** Throws while the database is away, as the service does. */
  static async start(options: LifeOptions): Promise<Life> {
    const life = new Life(options);
    const { link, time, directory, host } = options;
    const me = await link.through(time, () => nextLife(directory, host));
    const files = await openFileSpool({ directory, log: life.log });
    life.#close = () => files.close();
    const spool = life.#mortalSpool(files);
    const timers = time.timers(() => life.dead);
    const writer = life.writer();
    life.appender = new Appender({ writer, spool, timers, log: life.log, count: tally() });
    life.report = new ReplicaReport({
      ...{ cluster: options.cluster, store: life.replicas(), ledger: life.appender, notes: life.notes(), me },
      ...{ another: () => nextLife(directory, host, true), clock: life.clock, log: life.log },
    });
    await life.report.begin();
    const tick = (): void => void life.report.tick().then(() => timers.after(2_000, tick));
    timers.after(0, tick);
    return life;
  }

  get clock(): { now(): number } {
    const { time, skew } = this.#options;
    return { now: () => time.now + skew };
  }

  get reachesDatabase(): boolean {
    return this.#options.link.outage === null;
  }

  kill(): void {
    this.dead = true;
  }

  /** Closes the files that the system would. */
  bury(): Promise<void> {
    this.kill();
    return this.#close();
  }

  /** SIGTERM with its time to end; whoever has not ended by then is killed. */
  async terminate(): Promise<void> {
    this.leaving = true;
    const closing = this.appender.close().then(() => this.report.end());
    const state = { ended: false };
    void closing.then(() => (state.ended = true));
    for (let waited = 0; waited < 60_000 && !state.ended; waited += 5_000) {
      await this.#options.time.settle();
      if (!state.ended) await this.#options.time.pass(5_000);
    }
    this.kill();
  }

  writer(): LedgerWriter {
    const writer = ledgerWriter(this.#options.store);
    return { appendAll: (entries: readonly LedgerEntry[]) => this.#mortal(() => writer.appendAll(entries)) };
  }

  replicas(): ReplicaStore {
    const replicas = replicaStore(this.#options.store);
    return {
      begin: (report) => this.#mortal(() => replicas.begin(report)),
      report: (report) => this.#mortal(() => replicas.report(report)),
      end: (name, life, at) => this.#mortal(() => replicas.end(name, life, at)),
      read: (cluster) => this.#mortal(() => replicas.read(cluster)),
      ask: (fence, cluster, question) => this.#mortal(() => replicas.ask(fence, cluster, question)),
      forget: (name, cluster, at) => this.#mortal(() => replicas.forget(name, cluster, at)),
    };
  }

  notes(): SpoolNotes {
    const { notes } = this.#options;
    const change = (name: string, since: number | null): void => {
      if (since === null) notes.delete(name);
      else notes.set(name, since);
    };
    return {
      write: async (name, since) => (this.dead ? never() : change(name, since)),
      read: async () => [...notes].map(([name, since]): Note => ({ name, since })),
    };
  }

  /** A process that is dead begins nothing, and learns of no end. */
  async #mortal<T>(act: () => Promise<T>): Promise<T> {
    const { link, time } = this.#options;
    if (this.dead) return never();
    const ended = await link
      .through(time, async () => (this.dead ? null : { value: await act() }))
      .catch((error: unknown) => {
        if (this.dead) return null;
        throw error;
      });
    return this.dead || ended === null ? never() : ended.value;
  }

  #mortalSpool(spool: Spool): Spool {
    const { time } = this.#options;
    const mortal = async <T>(act: () => Promise<T>): Promise<T> => {
      if (this.dead) return never();
      const value = await time.during(act);
      return this.dead ? never() : value;
    };
    return {
      place: spool.place,
      get rows() {
        return spool.rows;
      },
      append: (entries) => mortal(() => spool.append(entries)),
      peek: (rows) => spool.peek(rows),
      entries: () => spool.entries(),
      drop: (count) => mortal(() => spool.drop(count)),
      setAside: (reason) => mortal(() => spool.setAside(reason)),
      close: () => mortal(() => spool.close()),
    };
  }
}
