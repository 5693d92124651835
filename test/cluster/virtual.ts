import { microTime } from '../../src/base/index.ts';
import type {
  ElectionClock,
  Fences,
  LeaseRecord,
  LeaseStore,
  StoredLease,
} from '../../src/leadership/index.ts';

interface Due {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

/** VirtualTime is a time that passes when it is told to, for everything that waits by it. */
export class VirtualTime {
  at = 0;
  #order = 0;
  #due: Due[] = [];

  after(ms: number, act: () => void): () => void {
    const due = { at: this.at + Math.max(0, ms), order: (this.#order += 1), act };
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((one) => one !== due);
    };
  }

  /** Lets the time pass, with everything that comes due in it, each after what it follows from is done. */
  async pass(ms: number): Promise<void> {
    const end = this.at + ms;
    for (;;) {
      await settled();
      const next = this.#due.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined || next.at > end) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.at = next.at;
      next.act();
    }
    this.at = end;
  }
}

/** Every promise that can go on without time has gone on. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** VirtualProcess is a process of its own: it can be stopped and continued, its clock may run fast, and its calls may be cut. */
export class VirtualProcess implements ElectionClock {
  readonly #time: VirtualTime;
  readonly #rate: number;
  #stopped = false;
  #waiting: (() => void)[] = [];
  /** Cut from the API server, from the database. */
  cutFromApi = false;
  cutFromDatabase = false;

  constructor(time: VirtualTime, rate = 1) {
    this.#time = time;
    this.#rate = rate;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  now(): number {
    return 1_700_000_000_000 + this.#time.at;
  }

  monotonic(): number {
    return this.#time.at * this.#rate;
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const done = (): void => {
        cancel();
        resolve();
      };
      const cancel = this.#time.after(ms / this.#rate, () => this.#go(done));
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** A call that takes a while and does `act` at its far end; its answer comes back only while the process runs. */
  call<T>(
    which: 'cutFromApi' | 'cutFromDatabase',
    latency: number,
    timeoutMs: number,
    act: () => T,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new Error('no answer in time'));
      const cancel = this.#time.after(timeoutMs / this.#rate, () => this.#go(late));
      if (this[which]) return;
      this.#time.after(latency, () => {
        if (this[which]) return;
        const value = act();
        this.#time.after(latency, () =>
          this.#go(() => {
            cancel();
            resolve(value);
          }),
        );
      });
    });
  }

  /** SIGSTOP: nothing goes on, while its clock does. */
  stop(): void {
    this.#stopped = true;
  }

  /** SIGCONT: everything that came due meanwhile happens now. */
  continue(): void {
    this.#stopped = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const act of waiting) act();
  }

  #go(act: () => void): void {
    if (this.#stopped) this.#waiting.push(act);
    else act();
  }
}

/** SharedLease is the Lease of all processes, with a version that counts writes. */
export class SharedLease {
  lease: StoredLease | null = null;
  #version = 0;

  /** The Lease as one process reaches it. */
  of(process: VirtualProcess, latency: () => number): LeaseStore {
    const call = <T>(timeoutMs: number, act: () => T): Promise<T> =>
      process.call('cutFromApi', latency(), timeoutMs, act);
    return {
      read: (timeoutMs) => call(timeoutMs, () => this.lease),
      create: (record, timeoutMs) =>
        call(timeoutMs, () => (this.lease === null ? this.#write(record) : null)),
      replace: (record, version, timeoutMs) =>
        call(timeoutMs, () => (this.lease?.version === version ? this.#write(record) : null)),
    };
  }

  delete(): void {
    this.lease = null;
  }

  /** Somebody writes over it by hand. */
  steal(holder: string): void {
    this.#write({
      holder,
      durationSeconds: 10,
      acquiredAt: microTime(0),
      renewedAt: microTime(0),
      transitions: 7,
    });
  }

  #write(record: LeaseRecord): StoredLease {
    this.lease = { ...record, version: String((this.#version += 1)) };
    return this.lease;
  }
}

/** SharedDatabase is the database of all processes: the fence, and what was written under it. */
export class SharedDatabase {
  fence = 0;
  readonly written: { readonly by: string; readonly fence: number; readonly at: number }[] = [];
  refused = 0;

  fencesOf(process: VirtualProcess): Fences {
    const call = <T>(act: () => T): Promise<T> => process.call('cutFromDatabase', 3, 60_000, act);
    return {
      raise: () => call(() => (this.fence += 1)),
      stands: (fence) => call(() => (this.fence === fence ? ('stands' as const) : ('raised' as const))),
    };
  }

  /** A write of a leader, as the store guards it: in one act with the look at the fence. */
  write(process: VirtualProcess, by: string, fence: number, at: () => number): Promise<void> {
    return process.call('cutFromDatabase', 3, 60_000, () => {
      if (fence === this.fence) this.written.push({ by, fence, at: at() });
      else this.refused += 1;
    });
  }
}
