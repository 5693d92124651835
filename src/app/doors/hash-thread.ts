import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LeafRun } from '../../ledger/index.ts';
import { fromCarriedFault } from '../programs/carried-fault.ts';
import type { FromHashThread, ToHashThread } from './hash-protocol.ts';
import { passedOn } from '../programs/passed-on.ts';

/** MiB of heap: what it remembers of rows is bounded far below. */
const HEAP = 512;

/** HashThread is one thread that hashes rows of a database. */
export class HashThread {
  readonly #worker: Worker;
  readonly #asked: PromiseWithResolvers<readonly LeafRun[]>[] = [];
  #fault: Error | null = null;
  #ready = false;

  constructor(url: string, entry: string | URL) {
    this.#worker = new Worker(entry, {
      workerData: url,
      resourceLimits: { maxOldGenerationSizeMb: HEAP },
      env: passedOn(process.env),
    });
    this.#worker.on('message', (message: FromHashThread) => {
      if (message.kind === 'ready') {
        this.#ready = true;
        return;
      }
      const asked = this.#asked.shift();
      if (message.kind === 'rows') asked?.resolve(message.runs);
      else asked?.reject(fromCarriedFault(message.fault));
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`a thread that hashes rows ended: exit ${code}`)));
  }

  /** Whether it can be asked without a wait; so can one that ended, which answers with its fault. */
  get ready(): boolean {
    return this.#ready || this.#fault !== null;
  }

  /** Slices that it has at hand. */
  get busy(): number {
    return this.#asked.length;
  }

  /** The rows with numbers above `after` up to `last`. */
  runs(after: number, last: number): Promise<readonly LeafRun[]> {
    const answer = Promise.withResolvers<readonly LeafRun[]>();
    answer.promise.catch(() => undefined); // heard by the waiting caller, if any
    if (this.#fault === null) {
      this.#asked.push(answer);
      this.#worker.postMessage({ after, last } satisfies ToHashThread);
    } else answer.reject(this.#fault);
    return answer.promise;
  }

  /** Ends the thread: in order when it has nothing at hand, else at once. */
  async close(): Promise<void> {
    if (!this.#ready || this.#fault !== null || this.busy > 0) {
      await this.#worker.terminate();
      return;
    }
    const ended = once(this.#worker, 'exit');
    this.#worker.postMessage(null satisfies ToHashThread);
    await ended;
  }

  #end(fault: Error): void {
    this.#fault ??= fault;
    for (const { reject } of this.#asked.splice(0)) reject(this.#fault);
  }
}
