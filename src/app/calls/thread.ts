import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { ApartCall, RouteAnswer } from '../../api/index.ts';
import type { Log } from '../../base/index.ts';
import { fromCarriedFault, toCarriedFault } from '../programs/carried-fault.ts';
import type { CallAsks, CallSetup, FromCallThread, ToCallThread } from './protocol.ts';
import { tellPace, type Traffic } from '../programs/pace.ts';
import { passedOn } from '../programs/passed-on.ts';

/** Pieces of a stream that are on their way at one time. */
const AHEAD = 4;

/** CallThreadOptions say how a thread is started. */
export interface CallThreadOptions {
  readonly setup: CallSetup;
  readonly entry: string | URL;
  /** MiB of heap; beyond it the thread ends, and its calls with it. */
  readonly memory: number;
  readonly asks: CallAsks;
  readonly log: Log;
  readonly traffic: Traffic;
  /** The thread is gone. Called once. */
  onGone(): void;
}

/** A call that the thread has at hand. `over` is told once the thread is at it no more. */
interface Call {
  answer(answer: RouteAnswer): void;
  fail(error: Error): void;
  over(): void;
  stream: Readable | null;
}

/** CallThread is one life of a thread that answers costly calls. */
export class CallThread {
  readonly #worker: Worker;
  readonly #options: CallThreadOptions;
  readonly #calls = new Map<number, Call>();
  readonly #endPace: () => void;
  #count = 0;
  #gone = false;

  constructor(options: CallThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(options.entry, {
      workerData: options.setup,
      resourceLimits: { maxOldGenerationSizeMb: options.memory },
      env: passedOn(process.env),
    });
    this.#endPace = tellPace((told) => this.#send({ kind: 'pace', told }), options.traffic);
    this.#worker.on('message', (message: FromCallThread) => this.#take(message));
    this.#worker.on('error', (error) => this.#end(error.message));
    this.#worker.on('exit', (code) => this.#end(`exit ${code}`));
  }

  /** Calls that it has at hand, streams included. */
  get busy(): number {
    return this.#calls.size;
  }

  /**
   * Makes a call. `answer` settles with the head of the answer, `over` once the thread is at it no more: of a stream, when its last piece
   * is sent. Cancelled by the signal.
   */
  make(
    call: ApartCall,
    at: number,
    signal: AbortSignal,
  ): { readonly answer: Promise<RouteAnswer>; readonly over: Promise<void> } {
    const id = (this.#count += 1);
    const answer = Promise.withResolvers<RouteAnswer>();
    const over = Promise.withResolvers<void>();
    const cancel = (): void => this.#send({ kind: 'cancel', id });
    this.#calls.set(id, {
      answer: answer.resolve,
      fail: answer.reject,
      over: () => {
        signal.removeEventListener('abort', cancel);
        over.resolve();
      },
      stream: null,
    });
    signal.addEventListener('abort', cancel);
    const blocks = (call.body ?? []).map(({ buffer }) => buffer as ArrayBuffer);
    this.#send({ kind: 'call', id, at, call }, blocks);
    if (signal.aborted) cancel();
    return { answer: answer.promise, over: over.promise };
  }

  /** Ends the thread at once; what it has at hand fails. */
  async stop(): Promise<void> {
    this.#end(null);
    await this.#worker.terminate();
  }

  #send(message: ToCallThread, moved: readonly ArrayBuffer[] = []): void {
    if (!this.#gone) this.#worker.postMessage(message, moved);
  }

  #take(message: FromCallThread): void {
    if (message.kind === 'ask') return void this.#tell(message);
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    switch (message.kind) {
      case 'answer': {
        const { head, bytes } = message;
        if (bytes !== null) {
          call.answer({ ...head, body: bytes });
          return this.#over(message.id, call);
        }
        call.stream = this.#stream(message.id);
        return call.answer({ ...head, stream: call.stream });
      }
      case 'piece':
        return void call.stream?.push(message.bytes);
      case 'end':
        call.stream?.push(null);
        return this.#over(message.id, call);
      case 'failed': {
        const error = fromCarriedFault(message.fault);
        if (call.stream === null) call.fail(error);
        else call.stream.destroy(error);
        return this.#over(message.id, call);
      }
    }
  }

  #over(id: number, call: Call): void {
    this.#calls.delete(id);
    call.over();
  }

  /** Asks for a piece with each that was taken, after the first few. */
  #stream(id: number): Readable {
    let begun = false;
    return new Readable({
      highWaterMark: 65_536,
      read: () => {
        for (let i = begun ? 1 : AHEAD; i > 0; i -= 1) this.#send({ kind: 'more', id });
        begun = true;
      },
      destroy: (error, done) => {
        this.#send({ kind: 'cancel', id });
        done(error);
      },
    });
  }

  /** Does what the thread leaves to the loop. */
  async #tell({ id, act, value }: Extract<FromCallThread, { kind: 'ask' }>): Promise<void> {
    const { asks } = this.#options;
    try {
      const told: unknown = await (asks[act] as (value: unknown) => Promise<unknown>)(value);
      this.#send({ kind: 'told', id, value: told });
    } catch (error) {
      this.#send({ kind: 'refused', id, fault: toCarriedFault(error) });
    }
  }

  #end(cause: string | null): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#endPace();
    const { log, setup, onGone } = this.#options;
    if (cause !== null) log.error('a thread of costly calls ended by itself', { work: setup.work, cause });
    for (const [id, call] of this.#calls) {
      const error = fromCarriedFault({
        code: 'unavailable',
        message: 'the answer could not be made',
        hint: 'Ask for less at one time, such as a page with `limit`',
        retryAfter: 10,
      });
      if (call.stream === null) call.fail(error);
      else call.stream.destroy(error);
      this.#over(id, call);
    }
    onGone();
  }
}
