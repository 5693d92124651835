import { Worker } from 'node:worker_threads';
import type { FromThread, Outcome, Task, ToThread } from './verify-protocol.ts';

/** MiB of heap of the thread: evidence has 16 MiB at most, of which some copies exist at a time. */
const HEAP = 384;

/** ThreadOptions say how the thread is started. */
export interface ThreadOptions {
  /** The program: a file that calls `serveVerification`. */
  readonly entry: string | URL;
  /** Milliseconds for one task; a thread that takes longer is ended. */
  readonly taskLimit: number;
  /** Milliseconds without a task after which the thread is let go. */
  readonly idleLimit: number;
  onRootFault(fault: string): void;
  /** The thread ended with a task at hand, or could not start. */
  onBroken(cause: string): void;
}

interface Running {
  readonly id: number;
  readonly settle: (outcome: Outcome) => void;
  readonly timer: NodeJS.Timeout;
}

/** Thread runs one task at a time in a thread of its own, which it starts when it is needed and replaces when it breaks. */
export class Thread {
  readonly #options: ThreadOptions;
  #worker: Worker | null = null;
  #running: Running | null = null;
  #idle: NodeJS.Timeout | undefined;
  #rules: Extract<ToThread, { kind: 'rules' }> | null = null;
  #count = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Does a task under the rules. Only one at a time may be asked for. */
  run(rules: Extract<ToThread, { kind: 'rules' }>, task: Task, unasked: boolean): Promise<Outcome> {
    clearTimeout(this.#idle);
    const worker = this.#started();
    if (this.#rules !== rules) worker.postMessage((this.#rules = rules));
    const id = (this.#count += 1);
    return new Promise((settle) => {
      const timer = setTimeout(
        () => void this.#end(worker, late(this.#options.taskLimit)),
        this.#options.taskLimit,
      );
      this.#running = { id, settle, timer };
      worker.ref();
      worker.postMessage({ kind: 'task', id, task, unasked } satisfies ToThread);
    });
  }

  /** Ends the thread; a task at hand is answered as broken off. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker !== null) await this.#end(worker, broken('the service is shutting down'));
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(this.#options.entry, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP },
      env: {},
    });
    this.#worker = worker;
    worker.on('message', (message: FromThread) => this.#take(message));
    const onGone = (cause: string): void => {
      if (this.#worker !== worker) return;
      this.#options.onBroken(cause);
      void this.#end(worker, broken('the verifier broke off'));
    };
    worker.on('error', (error) => onGone(error.message));
    worker.on('exit', (code) => onGone(`exit ${code}`));
    return worker;
  }

  #take(message: FromThread): void {
    if (message.kind === 'root') {
      if (message.fault !== null) this.#options.onRootFault(message.fault);
      return;
    }
    if (this.#running?.id !== message.id) return;
    this.#settle(message.outcome);
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.close(), this.#options.idleLimit);
    this.#idle.unref();
  }

  #settle(outcome: Outcome): void {
    const running = this.#running;
    this.#running = null;
    clearTimeout(running?.timer);
    running?.settle(outcome);
  }

  async #end(worker: Worker, outcome: Outcome): Promise<void> {
    if (this.#worker === worker) {
      this.#worker = null;
      this.#rules = null;
      this.#settle(outcome);
    }
    await worker.terminate();
  }
}

function late(limit: number): Outcome {
  return { kind: 'unverifiable', reason: 'deadline', message: `it took over ${limit / 1000} seconds` };
}

function broken(message: string): Outcome {
  return { kind: 'unverifiable', reason: 'fault', message };
}
