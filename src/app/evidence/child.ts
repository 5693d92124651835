import type { CarriedFault } from '../programs/carried-fault.ts';
import { passedOn } from '../programs/passed-on.ts';
import { startProcess } from '../programs/worker-entry.ts';
import type { Kept, KeepTask } from './keep.ts';

/** FromEvidence is what the process of a package answers. */
export type FromEvidence = { readonly kept: Kept } | { readonly fault: CarriedFault };

/** MiB of heap: a batch of rows, the document, and its PDF. */
const MEMORY = 512;

/**
 * keepInChild makes a package in a process at the lowest priority, so that no review and no call waits for it. Ends the process when
 * `signal` aborts. Null where it ended without an answer.
 */
export function keepInChild(task: KeepTask, signal: AbortSignal): Promise<FromEvidence | null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    const child = startProcess('evidence-worker', {
      execArgv: [`--max-old-space-size=${MEMORY}`],
      env: passedOn(process.env),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let answered: FromEvidence | null = null;
    const end = (): void => void child.kill('SIGKILL');
    const over = (): void => {
      signal.removeEventListener('abort', end);
      resolve(answered);
    };
    signal.addEventListener('abort', end);
    child.on('message', (answer: FromEvidence) => {
      answered = answer;
      child.disconnect();
    });
    child.on('error', over);
    child.on('exit', over);
    child.send(task, () => {}); // one that is gone already tells it by its exit
  });
}
