import { lowerPriority } from '../processes/lower-priority.ts';
import { toCarriedFault } from '../programs/carried-fault.ts';
import { A_TENTH, OF_PROCESS, Pace, type PaceTold } from '../programs/pace.ts';
import type { BackupTask, FromBackup } from './child.ts';
import { createBackup } from './create.ts';

/** Whatever answers admissions goes before a backup. */
const NICE = 19;

/** runBackupWorker is the process that makes one backup for the service that started it, and ends. */
export function runBackupWorker(channel: Pick<NodeJS.Process, 'on' | 'send' | 'exit'>): void {
  lowerPriority(NICE);
  channel.on('disconnect', () => channel.exit());
  const pace = new Pace(A_TENTH, OF_PROCESS);
  channel.on('message', (message: BackupTask | PaceTold) => {
    if ('rests' in message) pace.take(message);
    else void answer(message).then((given) => channel.send?.(given));
  });
}

async function answer({ url, out, program }: BackupTask): Promise<FromBackup> {
  try {
    const { bytes, sha256, header } = await createBackup({
      database: url,
      out,
      keys: null,
      program,
      clock: { now: () => Date.now() },
    });
    return { written: { bytes, sha256, ledgerRows: header.ledger.rows } };
  } catch (error) {
    return { fault: toCarriedFault(error) };
  }
}
