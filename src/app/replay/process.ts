import { IpoError, type Log } from '../../base/index.ts';
import { LiveError, WhatIfError, type Replayed, type Replayer, type RunPrinter } from '../../whatif/index.ts';
import { ReplayChild } from './child.ts';
import type { CarriedFault } from '../programs/carried-fault.ts';
import type { FromWorker, ReplaySetup, ReplayTask } from './protocol.ts';

/** ReplayProcessOptions say which ledger is replayed, and what a replay may take. */
export interface ReplayProcessOptions extends ReplaySetup {
  readonly log: Log;
  /**
   * Milliseconds until the answer of a replay, or of a PDF, must be there (120 s), waiting for others included. Less than the 300 s
   * that our own client waits, and the 600 s after which the server lets go of a connection.
   */
  readonly timeLimit?: number;
  /** Replays, and PDFs, that may wait (8 each). */
  readonly queue?: number;
  /** MiB of heap (512). */
  readonly memory?: number;
  /** Milliseconds that a cancelled task has to end by itself (2 s). */
  readonly grace?: number;
  /** Program of the process, for tests. */
  readonly entry?: string;
}

/** ReplayProcess runs replays and prints runs in a process of its own at the lowest priority. */
export interface ReplayProcess extends Replayer, RunPrinter {
  /** Starts the process, so that the first replay finds it warm. */
  start(): void;
  /** How it stands; down when it ended before it was of use. */
  state(): { readonly status: 'ok' | 'down'; readonly running: number; readonly message?: string };
  /** Its id while it runs. */
  readonly pid: number | undefined;
  /** Fails what waits and runs, and ends the process. */
  close(): Promise<void>;
}

/** Task is work that waits or runs. `settled` once its caller has an answer; the process may still be at it. */
interface Task {
  readonly id: number;
  readonly task: ReplayTask;
  readonly resolve: (value: Replayed | Uint8Array) => void;
  readonly reject: (error: unknown) => void;
  readonly leave: () => void;
  /** Whether others were before it. */
  readonly waited: boolean;
  sent: boolean;
  settled: boolean;
}

/** Lane holds tasks of one kind: one runs, the others wait. A PDF need not wait for a long replay. */
interface Lane {
  readonly waiting: Task[];
  running: Task | null;
}

/** openReplayProcess gives the handle to a process that is started with its first task, or by `start`. */
export function openReplayProcess(options: ReplayProcessOptions): ReplayProcess {
  return new Processes(options);
}

class Processes implements ReplayProcess {
  readonly #options: ReplayProcessOptions;
  readonly #lanes: Readonly<Record<ReplayTask['task'], Lane>> = {
    replay: { waiting: [], running: null },
    print: { waiting: [], running: null },
  };
  #child: ReplayChild | null = null;
  #closed = false;
  /** Whether the process was given a task in its life. */
  #used = false;
  /** Whether the last process ended before it was of use. */
  #unfit = false;
  #count = 0;

  constructor(options: ReplayProcessOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    if (this.#closed || this.#child !== null) return;
    const { url, coldImagePolicy, memory = 512, entry, log } = this.#options;
    this.#used = false;
    this.#child = new ReplayChild({
      setup: { url, coldImagePolicy },
      memory,
      entry,
      log,
      onReady: () => {
        this.#unfit = false;
        this.#sendAll();
      },
      onAnswer: (message) => this.#answered(message),
      onGone: () => this.#gone(),
    });
  }

  state(): ReturnType<ReplayProcess['state']> {
    const running = Object.values(this.#lanes).filter((lane) => lane.running !== null).length;
    return this.#unfit
      ? { status: 'down', running, message: 'the process of the replays does not start; the log says why' }
      : { status: 'ok', running };
  }

  async replay(job: Parameters<Replayer['replay']>[0], signal: AbortSignal): Promise<Replayed> {
    return (await this.#submit({ task: 'replay', job }, signal)) as Replayed;
  }

  async print(run: Parameters<RunPrinter['print']>[0], signal: AbortSignal): Promise<Uint8Array> {
    return (await this.#submit({ task: 'print', run }, signal)) as Uint8Array;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const lane of Object.values(this.#lanes)) {
      for (const task of [lane.running, ...lane.waiting.splice(0)]) {
        if (task !== null) settle(task, () => task.reject(unavailable('the service is shutting down')));
      }
    }
    await this.#child?.leave(this.#options.grace ?? 2000);
  }

  #submit(task: ReplayTask, signal: AbortSignal): Promise<Replayed | Uint8Array> {
    const lane = this.#lanes[task.task];
    if (this.#closed) throw unavailable('the service is shutting down');
    if (lane.waiting.length >= (this.#options.queue ?? 8)) {
      const message = `${lane.waiting.length} ${task.task === 'replay' ? 'what-ifs' : 'PDFs'} are waiting already`;
      const hint = 'Ask again in a moment';
      throw new LiveError('unavailable', message, { retryAfter: 10, hint, queueFull: true });
    }
    const limit = this.#options.timeLimit ?? 120_000;
    return new Promise((resolve, reject) => {
      const cancel = (): void => this.#drop(lane, made, unavailable('nobody waits for the answer any more'));
      const timer = setTimeout(() => this.#drop(lane, made, tooLate(made, limit)), limit);
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
      };
      const made: Task = {
        id: (this.#count += 1),
        task,
        resolve,
        reject,
        leave,
        waited: lane.running !== null,
        sent: false,
        settled: false,
      };
      if (signal.aborted) return cancel();
      signal.addEventListener('abort', cancel);
      lane.waiting.push(made);
      this.#next(lane);
    });
  }

  /** Begins the next task of a lane where none runs. */
  #next(lane: Lane): void {
    const task = lane.running === null ? lane.waiting.shift() : undefined;
    if (task === undefined) return;
    lane.running = task;
    this.start();
    this.#sendAll();
  }

  #sendAll(): void {
    if (this.#child === null || !this.#child.ready) return;
    for (const lane of Object.values(this.#lanes)) {
      const { running } = lane;
      if (running === null || running.sent) continue;
      if (running.settled) {
        // Its caller went away before the process was ready: it need not begin.
        lane.running = null;
        this.#next(lane);
        continue;
      }
      running.sent = true;
      this.#used = true;
      this.#child.send({ kind: 'begin', id: running.id, task: running.task });
    }
  }

  #answered(message: Exclude<FromWorker, { kind: 'ready' }>): void {
    const lane = Object.values(this.#lanes).find(({ running }) => running?.id === message.id);
    const task = lane?.running;
    if (lane === undefined || !task) return;
    lane.running = null;
    settle(task, () =>
      message.kind === 'done' ? task.resolve(message.value) : task.reject(toError(message.fault)),
    );
    this.#next(lane);
  }

  /** Fails a task. One that runs gets the order to end; if it does not within the grace, the process is ended. */
  #drop(lane: Lane, task: Task, error: LiveError): void {
    settle(task, () => task.reject(error));
    const place = lane.waiting.indexOf(task);
    if (place !== -1) lane.waiting.splice(place, 1);
    if (lane.running !== task) return;
    const child = this.#child;
    child?.send({ kind: 'cancel', id: task.id });
    const end = setTimeout(() => {
      if (lane.running === task) child?.kill();
    }, this.#options.grace ?? 2000);
    end.unref();
  }

  #gone(): void {
    const ready = this.#child?.ready === true;
    this.#child = null;
    this.#unfit = !ready && !this.#closed;
    for (const lane of Object.values(this.#lanes)) {
      const task = lane.running;
      lane.running = null;
      if (task === null) continue;
      const error = unavailable(
        'the replay broke off before it had an answer',
        30,
        'Ask for fewer days or fewer rows',
      );
      settle(task, () => task.reject(error));
    }
    // One that ended before it was of use is tried again by the next task, not at once.
    if (this.#used) this.start();
    for (const lane of Object.values(this.#lanes)) this.#next(lane);
  }
}

function settle(task: Task, act: () => void): void {
  if (task.settled) return;
  task.settled = true;
  task.leave();
  act();
}

/** What to do depends on whether the task, or what was before it, took the time. */
function tooLate({ waited }: Task, limit: number): LiveError {
  const message = `no answer within ${limit / 1000} seconds`;
  if (!waited) return unavailable(message, 30, 'Ask for fewer days or fewer rows');
  return unavailable(`${message}, in which it waited for others`, 30, 'Ask again in a minute');
}

function unavailable(message: string, retryAfter?: number, hint = 'Try again later'): LiveError {
  return new LiveError('unavailable', message, { retryAfter, hint });
}

function toError({ code, message, hint }: CarriedFault): Error {
  if (code === null) return new Error('a replay met a fault of its own', { cause: message });
  if (code === 'unknown_source' || code === 'out_of_range') return new WhatIfError(code, message, { hint });
  return new IpoError(code, message, { hint });
}
