import type { MessagePort } from 'node:worker_threads';
import type { LogStep } from '../../store/index.ts';

/** LogFile is the database whose log is kept, and a descriptor of it of the main thread. */
export interface LogFile {
  readonly file: string;
  readonly synced: number;
}

/** LogTold is what the thread that keeps the log says of its last look. */
export type LogTold = Pick<LogStep, 'pages'>;

/** How often the log is looked at, and again where there is more to do; in milliseconds. */
const LOOK = 100;
const AGAIN = 2;

/** runLogWorker makes this thread the one that brings the write-ahead log of a file into the database, until it gets the order to end. */
export async function runLogWorker(port: MessagePort, { file, synced }: LogFile): Promise<void> {
  const { LogKeeper } = await import('../../store/index.ts');
  const keeper = new LogKeeper(file, synced);
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const { outcome, pages, brought } = keeper.step();
    if (brought) port.postMessage({ pages } satisfies LogTold);
    timer = setTimeout(look, outcome === 'more' ? AGAIN : LOOK);
  };
  port.once('message', () => {
    clearTimeout(timer);
    keeper.close();
    port.close();
  });
  look();
}
