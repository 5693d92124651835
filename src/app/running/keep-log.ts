import { Worker } from 'node:worker_threads';
import type { Log } from '../../base/index.ts';
import { sqliteFileOf, syncedFile } from '../../store/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import type { LogFile, LogTold } from './log-worker.ts';
import { threadEntry } from '../programs/worker-entry.ts';

/** MiB of heap of the thread, which holds next to nothing. */
const HEAP = 64;
/** Milliseconds after which a thread that broke is started again; meanwhile commits do its work. */
const AGAIN = 5_000;

/** KeepLogOptions say whose log is kept. */
export interface KeepLogOptions {
  /** Address of the database; one on a server keeps its own. */
  readonly url: string;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'set'>;
  /** The program of the thread; for tests. */
  readonly entry?: string | URL;
}

/** KeptLog is a write-ahead log that a thread of this process keeps short. */
export interface KeptLog {
  close(): Promise<void>;
}

/**
 * keepLog starts a thread that brings the write-ahead log of a SQLite database into its file, so that the commits of no process have to:
 * one that writes with a turn leaves it to the thread as long as that is there. For one process of those that share a file.
 */
export function keepLog({ url, log, metrics, entry = threadEntry('log-worker') }: KeepLogOptions): KeptLog {
  const file = sqliteFileOf(url);
  if (file === null) return { close: async () => {} };
  const kept: LogFile = { file, synced: syncedFile(file) };
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const start = (): void => {
    const own = (worker = new Worker(entry, {
      workerData: kept,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP },
    }));
    let fault = '';
    own.unref();
    own.on('message', ({ pages }: LogTold) => metrics.set('svc_database_log_pages', pages));
    own.on('error', (error) => (fault = error.message));
    own.on('exit', (code) => {
      if (isOver) return;
      worker = null;
      log.warn('The thread that keeps the write-ahead log ended; commits do its work until it is back', {
        reason: fault === '' ? `exit ${code}` : fault,
      });
      timer = setTimeout(start, AGAIN).unref();
    });
  };
  start();
  return {
    async close() {
      isOver = true;
      clearTimeout(timer);
      const own = worker;
      if (own === null) return;
      const ended = new Promise<void>((end) => own.once('exit', () => end()));
      own.ref();
      own.postMessage('end');
      await ended;
    },
  };
}
