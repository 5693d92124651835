import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { DetectorDoor } from '../../api/index.ts';
import type { Log } from '../../base/index.ts';
import { passedOn } from '../programs/passed-on.ts';
import { startProcess } from '../programs/worker-entry.ts';
import type { DetectorCounts, DetectorSetup, FromDetector, ToDetector } from './protocol.ts';

/** DetectorProcessOptions say how the process is started, and who is told of what came. */
export interface DetectorProcessOptions {
  readonly setup: Omit<DetectorSetup, 'door'>;
  readonly log: Log;
  counted(counts: DetectorCounts): void;
}

/** One that died is started again after a wait in milliseconds, doubled each time it did not listen, up to the longest. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5_000;
/** What is kept of the last words of a process, for the log. */
const LAST_WORDS = 2_000;
const HEAP_MIB = 192;

/** DetectorProcess runs the listener of the detector in a process of its own, and starts it again where it ends by itself. */
export class DetectorProcess {
  readonly #options: DetectorProcessOptions;
  #process: ChildProcess | null = null;
  #door: DetectorDoor | null = null;
  /** The port that it took; that of the settings until then. */
  #port: number;
  #listens = false;
  #closed = false;
  #wait = FIRST_WAIT;
  #timer: NodeJS.Timeout | null = null;
  #fault: string | null = null;

  constructor(options: DetectorProcessOptions) {
    this.#options = options;
    this.#port = options.setup.port;
  }

  /** The port on which it listens; null while it does not. */
  get port(): number | null {
    return this.#listens ? this.#port : null;
  }

  /** Why it does not listen, or null. */
  get fault(): string | null {
    if (this.#listens) return null;
    return this.#fault ?? (this.#door === null ? 'it has no certificate yet' : 'it is being started');
  }

  /** Takes certificates for connections from now on; the process is started with the first. */
  open(door: DetectorDoor): void {
    this.#door = door;
    if (this.#process === null) {
      if (this.#timer === null) this.#start();
    } else this.#send({ kind: 'door', door });
  }

  /** Ends it in order. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const one = this.#process;
    if (one === null) return;
    const gone = new Promise<void>((resolve) => one.once('exit', () => resolve()));
    this.#send({ kind: 'end', graceMs });
    const late = new AbortController();
    const killed = wait(graceMs + 1_000, null, { signal: late.signal }).then(
      () => one.kill('SIGKILL'),
      () => {},
    );
    await gone;
    late.abort();
    await killed;
  }

  #start(): void {
    if (this.#closed || this.#door === null) return;
    this.#timer = null;
    const one = startProcess('detector-worker', {
      execArgv: [`--max-old-space-size=${HEAP_MIB}`],
      env: passedOn(process.env),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#process = one;
    let lastWords = '';
    one.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-LAST_WORDS);
    });
    one.on('message', (message: FromDetector) => this.#told(message));
    let over = false;
    const end = (keys: Readonly<Record<string, unknown>>): void => {
      if (over) return;
      over = true;
      this.#gone({ ...keys, last_words: lastWords });
    };
    one.on('error', (error) => end({ error: error.message }));
    one.on('exit', (code, signal) => end({ code, signal }));
    this.#send({ kind: 'setup', setup: { ...this.#options.setup, port: this.#port, door: this.#door } });
  }

  #told(message: FromDetector): void {
    const { log, counted } = this.#options;
    switch (message.kind) {
      case 'listens':
        this.#listens = true;
        this.#port = message.port;
        this.#wait = FIRST_WAIT;
        this.#fault = null;
        log.info('the runtime detector is listened to', { port: message.port });
        break;
      case 'failed':
        this.#fault = message.fault.message;
        break;
      case 'counts':
        counted(message);
        break;
      case 'log':
        log[message.level](message.message, message.keys);
    }
  }

  #gone(keys: Readonly<Record<string, unknown>>): void {
    this.#process = null;
    const listened = this.#listens;
    this.#listens = false;
    if (this.#closed) return;
    this.#options.log.error(
      'the process that takes events of the detector ended by itself; it is started again',
      {
        ...keys,
        ...(this.#fault !== null && { fault: this.#fault }),
      },
    );
    const after = listened ? 0 : this.#wait;
    this.#wait = Math.min(LONGEST_WAIT, this.#wait * 2);
    this.#timer = setTimeout(() => this.#start(), after);
  }

  #send(message: ToDetector): void {
    const one = this.#process;
    if (one?.connected === true) one.send(message, () => {}); // a channel that just broke is told by the end
  }
}
