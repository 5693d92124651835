import type { MessagePort } from 'node:worker_threads';
import type { LogStep } from '../../store/index.ts';

/** LogTold is what the thread that keeps the log says of its last look. */
export type LogTold = Pick<LogStep, 'pages'> & { readonly tookMs: number };

/** How often the log is looked at, and again where there is more to do; in milliseconds. */
const LOOK = 100;
const AGAIN = 2;

/** runLogWorker makes this thread the one that brings the write-ahead log of a file into the database, until it gets the order to end. */
export async function runLogWorker(port: MessagePort, file: string): Promise<void> {
  const { LogKeeper } = await import('../../store/index.ts');
  const keeper = new LogKeeper(file);
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const began = performance.now();
    const { outcome, pages } = keeper.step();
    if (outcome === 'begun') port.postMessage({ pages, tookMs: performance.now() - began } satisfies LogTold);
    timer = setTimeout(look, outcome === 'more' ? AGAIN : LOOK);
  };
  port.once('message', () => {
    clearTimeout(timer);
    keeper.close();
    port.close();
  });
  look();
}
