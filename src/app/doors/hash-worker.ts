import type { MessagePort } from 'node:worker_threads';
import { isIpoError } from '../../base/index.ts';
import { readLeafRuns, type LeafRun, type TreeReader } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import { toCarriedFault } from '../programs/carried-fault.ts';
import type { FromHashThread, ToHashThread } from './hash-protocol.ts';

interface Opened {
  readonly store: Store;
  readonly tree: TreeReader;
}

/** runHashWorker makes this thread one that hashes rows over a connection of its own, until it gets the order to end. */
export async function runHashWorker(port: MessagePort, url: string): Promise<void> {
  const { ledgerTree, openStore } = await import('../../store/index.ts');
  const tell = (message: FromHashThread): void => port.postMessage(message);
  const open = async (): Promise<Opened> => {
    // The code that starts a thread has opened the database before.
    const store = await openStore({ url, readOnly: true, checked: true, poolSize: 1 });
    tell({ kind: 'ready' });
    return { store, tree: ledgerTree(store) };
  };
  const opened = open();
  opened.catch(() => tell({ kind: 'ready' })); // the caller is told of it
  const hash = async (after: number, last: number): Promise<void> => {
    try {
      const runs: LeafRun[] = [];
      for await (const some of readLeafRuns((await opened).tree, after, last)) runs.push(...some);
      tell({ kind: 'rows', runs });
    } catch (error) {
      if (!isIpoError(error)) throw error; // ends the thread, and is heard where it was started
      tell({ kind: 'failed', fault: toCarriedFault(error) });
    }
  };
  const end = async (): Promise<void> => {
    await opened.then(
      ({ store }) => store.close(),
      () => undefined,
    );
    port.close();
  };
  let last = Promise.resolve();
  port.on('message', (asked: ToHashThread) => {
    const before = last;
    last = (async () => {
      await before;
      await (asked === null ? end() : hash(asked.after, asked.last));
    })();
  });
}
