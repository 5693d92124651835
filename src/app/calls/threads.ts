import type { Apart, ApartCall, RouteAnswer, Work } from '../../api/index.ts';
import { IpoError, type Clock, type Log } from '../../base/index.ts';
import { CallLine } from './line.ts';
import type { CallAsks, CallSetup } from './protocol.ts';
import { CallThread } from './thread.ts';
import type { Traffic } from '../programs/pace.ts';
import { threadEntry } from '../programs/worker-entry.ts';

/** CallThreadsOptions say what costly calls are answered from; `setup` for each kind of them. */
export interface CallThreadsOptions {
  readonly setup: Omit<CallSetup, 'work'>;
  /** Threads that read lists. */
  readonly readers: number;
  readonly asks: CallAsks;
  readonly clock: Clock;
  readonly log: Log;
  readonly traffic: Traffic;
  /** Milliseconds that a read or an import may take (2 min, 5 min). */
  readonly limits?: Partial<Record<Work, number>>;
  /** Milliseconds without a call after which a thread is let go (60 s); one reader stays. */
  readonly idle?: number;
  /** The program of a thread, for tests. */
  readonly entry?: string;
}

/** CallThreads answers costly calls in threads, which are started when they are needed. */
export interface CallThreads extends Apart {
  /** Starts a reader in a moment, so that the first call finds it warm. */
  start(): void;
  /** Threads that there are. */
  readonly threads: number;
  /** Fails what waits and runs, and ends the threads. */
  close(): Promise<void>;
}

/** MiB of heap: a list of 10,000 images or a report of 64 MiB, as objects and as text. */
const MEMORY: Readonly<Record<Work, number>> = { read: 512, export: 256, import: 1024 };
const LIMITS: Readonly<Record<Work, number>> = { read: 120_000, export: Infinity, import: 300_000 };
/** Streams that one thread makes at a time, each a batch in turn. */
const STREAMS = 8;

interface Task {
  readonly account: string;
  readonly call: ApartCall;
  readonly signal: AbortSignal;
  readonly settle: PromiseWithResolvers<RouteAnswer>;
}

/** openCallThreads gives the handle to threads that are started with their first call, or by `start`. */
export function openCallThreads(options: CallThreadsOptions): CallThreads {
  const pools = {
    // A thread is kept free for the accounts that have nothing running.
    read: new Pool('read', options, {
      threads: options.readers,
      each: 1,
      own: Math.max(1, options.readers - 1),
    }),
    export: new Pool('export', options, { threads: 1, each: STREAMS, own: STREAMS }),
    import: new Pool('import', options, { threads: 1, each: 1, own: 1 }),
  } as const satisfies Record<Work, Pool>;
  return {
    run: (work, account, call, signal) => pools[work].run(account, call, signal),
    // What a service does first has priority.
    start: () => void setTimeout(() => pools.read.start(), 1000).unref(),
    get threads() {
      return Object.values(pools).reduce((sum, pool) => sum + pool.size, 0);
    },
    close: async () => void (await Promise.all(Object.values(pools).map((pool) => pool.close()))),
  };
}

/** PoolSize is how many threads there are, how many calls each makes at a time, and how many of one account run. */
interface PoolSize {
  readonly threads: number;
  readonly each: number;
  readonly own: number;
}

class Pool {
  readonly #work: Work;
  readonly #options: CallThreadsOptions;
  readonly #size: PoolSize;
  readonly #line: CallLine<Task>;
  readonly #threads = new Map<CallThread, NodeJS.Timeout | null>();
  #closed = false;

  constructor(work: Work, options: CallThreadsOptions, size: PoolSize) {
    this.#work = work;
    this.#options = options;
    this.#size = size;
    this.#line = new CallLine(size.own);
  }

  get size(): number {
    return this.#threads.size;
  }

  start(): void {
    if (!this.#closed && this.#threads.size === 0) this.#rest(this.#add());
  }

  run(account: string, call: ApartCall, signal: AbortSignal): Promise<RouteAnswer> {
    if (this.#closed) throw unavailable('the service is shutting down');
    const settle = Promise.withResolvers<RouteAnswer>();
    const task: Task = { account, call, signal, settle };
    if (signal.aborted) throw nobodyWaits();
    signal.addEventListener('abort', () => {
      if (this.#line.drop(account, task)) settle.reject(nobodyWaits());
    });
    this.#line.add(account, task);
    this.#next();
    return settle.promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { settle } of this.#line.clear()) settle.reject(unavailable('the service is shutting down'));
    await Promise.all([...this.#threads.keys()].map((thread) => thread.stop()));
  }

  /** Hands out what waits while there is a thread for it. */
  #next(): void {
    while (!this.#line.isEmpty) {
      const free = this.#free();
      if (free === null) return;
      const task = this.#line.next();
      if (task === null) return;
      this.#make(free === 'new' ? this.#add() : free, task);
    }
  }

  #free(): CallThread | 'new' | null {
    const { threads, each } = this.#size;
    const least = [...this.#threads.keys()].toSorted((a, b) => a.busy - b.busy)[0];
    if (least !== undefined && least.busy < each) return least;
    return this.#threads.size < threads ? 'new' : null;
  }

  #add(): CallThread {
    const { setup, asks, log, traffic, entry = threadEntry('call-worker') } = this.#options;
    const work = this.#work;
    const thread: CallThread = new CallThread({
      setup: { ...setup, work },
      entry,
      memory: MEMORY[work],
      asks,
      log,
      traffic,
      onGone: () => {
        clearTimeout(this.#threads.get(thread) ?? undefined);
        this.#threads.delete(thread);
        if (!this.#closed) this.#next();
      },
    });
    this.#threads.set(thread, null);
    return thread;
  }

  #make(thread: CallThread, { account, call, signal, settle }: Task): void {
    clearTimeout(this.#threads.get(thread) ?? undefined);
    const limit = this.#options.limits?.[this.#work] ?? LIMITS[this.#work];
    const { answer, over } = thread.make(call, this.#options.clock.now(), signal);
    answer.then(settle.resolve, settle.reject);
    const late = Number.isFinite(limit) ? setTimeout(() => this.#tooLate(thread, call), limit) : undefined;
    late?.unref();
    void this.#after(over, () => {
      clearTimeout(late);
      this.#line.done(account);
      if (thread.busy === 0) this.#rest(thread);
      if (!this.#closed) this.#next();
    });
  }

  async #after(over: Promise<void>, act: () => void): Promise<void> {
    await over;
    act();
  }

  #tooLate(thread: CallThread, { key }: ApartCall): void {
    this.#options.log.warn('a costly call took too long and was ended', { work: this.#work, route: key });
    void thread.stop();
  }

  /** Lets a thread go that has nothing to do for long; the first reader stays. */
  #rest(thread: CallThread): void {
    if (!this.#threads.has(thread)) return;
    const end = setTimeout(() => {
      const isLast = this.#work === 'read' && this.#threads.size === 1;
      if (thread.busy === 0 && !isLast) void thread.stop();
    }, this.#options.idle ?? 60_000);
    end.unref();
    this.#threads.set(thread, end);
  }
}

function unavailable(message: string): IpoError {
  return new IpoError('unavailable', message, { hint: 'Try again later' });
}

function nobodyWaits(): IpoError {
  return unavailable('nobody waits for the answer any more');
}
