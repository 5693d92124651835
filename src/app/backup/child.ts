import type { Written } from '../../backup/index.ts';
import { fromCarriedFault, type CarriedFault } from '../programs/carried-fault.ts';
import { tellPace, type Traffic } from '../programs/pace.ts';
import { passedOn } from '../programs/passed-on.ts';
import { ONE_THREAD, startProcess } from '../programs/worker-entry.ts';

/** BackupTask says what a process of its own saves, and where. */
export interface BackupTask {
  readonly url: string;
  readonly out: string;
  readonly program: string;
}

/** FromBackup is what that process answers. */
export type FromBackup =
  | { readonly written: Pick<Written, 'bytes' | 'sha256'> & { readonly ledgerRows: number } }
  | { readonly fault: CarriedFault };

/** Bounds of the heap in MiB. Rows are garbage at once, and what holds them grows as far as it may. */
const HEAP = ['--max-semi-space-size=4', '--max-old-space-size=128'];

/**
 * backupInChild makes a backup in a process at the lowest priority, which rests most of the time while reviews come, so that none waits for
 * it. Gives what was written. Ends the process when `signal` aborts. Throws what the process was given, and an Error where it ended without an answer.
 */
export function backupInChild(
  task: BackupTask,
  signal: AbortSignal,
  traffic: Traffic,
): Promise<Extract<FromBackup, { written: unknown }>['written']> {
  return new Promise((resolve, reject) => {
    const child = startProcess('backup-worker', {
      execArgv: [...HEAP, ONE_THREAD],
      env: passedOn(process.env),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const end = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', end);
    child.on('message', (answer: FromBackup) => {
      if ('written' in answer) resolve(answer.written);
      else reject(fromCarriedFault(answer.fault));
      child.disconnect();
    });
    child.on('error', reject);
    child.on('exit', (code, by) => {
      endPace();
      signal.removeEventListener('abort', end);
      reject(new Error(`the process of the backup ended by itself (${by ?? code})`));
    });
    // One that is gone tells it by its exit.
    const endPace = tellPace((told) => void child.send(told, () => {}), traffic);
    child.send(task);
  });
}
