import { lowerPriority } from '../processes/lower-priority.ts';
import { toCarriedFault } from '../programs/carried-fault.ts';
import type { FromEvidence } from './child.ts';
import { keepPackage, type KeepTask } from './keep.ts';

/** Whatever answers admissions goes before a package. */
const NICE = 19;

/** runEvidenceWorker is the process that makes one package for the service that started it, and ends. */
export function runEvidenceWorker(channel: Pick<NodeJS.Process, 'on' | 'send' | 'exit'>): void {
  lowerPriority(NICE);
  channel.on('disconnect', () => channel.exit());
  // A service that is gone hears nothing.
  const say = (given: FromEvidence): void => void channel.send?.(given, () => {});
  channel.on('message', (task: KeepTask) => void answer(task).then(say));
}

async function answer(task: KeepTask): Promise<FromEvidence> {
  try {
    return { kept: await keepPackage(task) };
  } catch (error) {
    return { fault: toCarriedFault(error) };
  }
}
