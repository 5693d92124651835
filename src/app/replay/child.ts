import type { ChildProcess } from 'node:child_process';
import type { Log } from '../../base/index.ts';
import { passedOn } from '../programs/passed-on.ts';
import type { FromWorker, ReplaySetup, ToWorker } from './protocol.ts';
import { startProcess } from '../programs/worker-entry.ts';

/** What is kept of the last words of a process, for the log. */
const LAST_WORDS = 2000;

/** ReplayChildOptions say how the process is started. */
export interface ReplayChildOptions {
  readonly setup: ReplaySetup;
  /** MiB of heap; beyond it the process ends, and its task with it. */
  readonly memory: number;
  /** The program; the one beside this file unless said. */
  readonly entry?: string | undefined;
  readonly log: Log;
  onAnswer(message: Exclude<FromWorker, { kind: 'ready' }>): void;
  onReady(): void;
  /** The process is gone. Called once. */
  onGone(): void;
}

/** ReplayChild is one life of the process. */
export class ReplayChild {
  readonly #process: ChildProcess;
  readonly #options: ReplayChildOptions;
  #ready = false;
  #gone = false;
  #killed = false;
  #lastWords = '';

  constructor(options: ReplayChildOptions) {
    this.#options = options;
    this.#process = startProcess('replay-worker', {
      entry: options.entry,
      execArgv: [`--max-old-space-size=${options.memory}`],
      env: passedOn(process.env),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS);
    });
    this.#process.on('message', (message: FromWorker) => this.#take(message));
    this.#process.on('error', (error) => this.#end({ error: error.message }));
    // Not `close`, which does not come for a process whose channel this side has closed.
    this.#process.on('exit', (code, signal) => {
      const { stderr } = this.#process;
      if (stderr === null || stderr.closed) this.#end({ code, signal });
      else stderr.once('close', () => this.#end({ code, signal }));
    });
    this.send({ kind: 'setup', setup: options.setup });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get ready(): boolean {
    return this.#ready;
  }

  send(message: ToWorker): void {
    if (this.#gone || !this.#process.connected) return;
    this.#process.send(message, () => {}); // a channel that just broke is told by `close`
  }

  /** Ends the process at once; `onGone` follows. */
  kill(): void {
    this.#killed = true;
    this.#process.kill('SIGKILL');
  }

  /** Lets go of the process, which ends by itself; gives a promise of its end. */
  async leave(graceMs: number): Promise<void> {
    if (this.#gone) return;
    this.#killed = true;
    // One that could not be started has no exit, but an error that may still come.
    const gone = new Promise<void>((resolve) => {
      for (const event of ['exit', 'error'] as const) this.#process.once(event, () => resolve());
    });
    if (this.#process.connected) this.#process.disconnect();
    if (!this.#ready) this.#process.kill('SIGKILL'); // it holds nothing yet, and would hear of it late
    const end = setTimeout(() => this.#process.kill('SIGKILL'), graceMs);
    await gone;
    clearTimeout(end);
  }

  #take(message: FromWorker): void {
    if (message.kind !== 'ready') this.#options.onAnswer(message);
    else {
      this.#ready = true;
      this.#options.onReady();
    }
  }

  #end(keys: Readonly<Record<string, unknown>>): void {
    if (this.#gone) return;
    this.#gone = true;
    if (!this.#killed) {
      this.#options.log.error('replay process ended by itself', { ...keys, last_words: this.#lastWords });
    }
    this.#options.onGone();
  }
}
