import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { RandomAccess } from '../../adapters/files/index.ts';
import { IpoError } from '../../base/index.ts';
import type { RowsBeside, RowsOptions, RowsOutcome } from '../../evidence/index.ts';
import { passedOn } from '../programs/passed-on.ts';
import { threadEntry } from '../programs/worker-entry.ts';
import { fromMessage, type FromRowsThread, type RowsTask } from './rows-protocol.ts';

/** RowsThreadOptions say when the rows of a package are verified in a thread; the defaults are for all but tests. */
export interface RowsThreadOptions {
  /** A package of fewer rows is verified before a thread is of use (100,000). */
  readonly atLeast?: number;
  /** Processors at hand; with one a thread only takes turns with the reader. */
  readonly processors?: number;
  /** The program of the thread. */
  readonly entry?: string | URL;
}

/**
 * rowsBeside gives the verification of the rows of an open package in a thread of its own, which reads the same open file; null where the
 * package says that it has too few, or there is one processor. End it before the file is closed.
 */
export function rowsBeside(
  file: RandomAccess,
  rows: number,
  {
    atLeast = 100_000,
    processors = availableParallelism(),
    entry = threadEntry('rows-worker'),
  }: RowsThreadOptions = {},
): RowsBeside | null {
  if (rows < atLeast || processors < 2) return null;
  let worker: Worker | null = null;
  return {
    verify: (options) => {
      worker = startThread(file, options, entry);
      return answerOf(worker);
    },
    end: async () => void (await worker?.terminate()),
  };
}

/** Its heap is bounded as that of this thread: with less it would end over rows that are read here. */
function startThread(
  { name, size, descriptor }: RandomAccess,
  options: RowsOptions,
  entry: string | URL,
): Worker {
  const workerData: RowsTask = { file: { name, size, descriptor }, options };
  return new Worker(entry, { workerData, env: passedOn(process.env) });
}

function answerOf(worker: Worker): Promise<RowsOutcome> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromRowsThread) => resolve(fromMessage(message)));
    worker.on('error', (error) => reject(gone(error.message, error)));
    // After its answer this comes too late to count.
    worker.on('exit', (code) => reject(gone(`exit ${code}`)));
  });
}

function gone(why: string, cause?: unknown): IpoError {
  return new IpoError('unavailable', `the thread that verifies the rows ended without an answer (${why})`, {
    hint: 'Nothing was verified: run the command again, with more memory if it ends again',
    cause,
  });
}
