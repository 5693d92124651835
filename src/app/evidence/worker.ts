import { timestampRequest } from '../../evidence/index.ts';
import { lowerPriority } from '../processes/lower-priority.ts';
import { fromCarriedFault, toCarriedFault } from '../programs/carried-fault.ts';
import { A_TENTH, OF_PROCESS, Pace, type PaceTold } from '../programs/pace.ts';
import type { FromEvidence, ToEvidence } from './child.ts';
import { keepPackage, type KeepTask } from './keep.ts';

/** Whatever answers admissions goes before a package. */
const NICE = 19;

/** runEvidenceWorker is the process that makes one package for the service that started it, and ends. Calls to the outside are the service's. */
export function runEvidenceWorker(channel: Pick<NodeJS.Process, 'on' | 'send' | 'exit'>): void {
  lowerPriority(NICE);
  // A service that is gone hears nothing.
  const say = (given: FromEvidence): void => void channel.send?.(given, () => {});
  let stamped = Promise.withResolvers<Uint8Array>();
  const stamp = (signature: Buffer): Promise<Uint8Array> => {
    stamped = Promise.withResolvers();
    say({ query: timestampRequest(signature) });
    return stamped.promise;
  };
  const pace = new Pace(A_TENTH, OF_PROCESS);
  channel.on('disconnect', () => channel.exit());
  channel.on('message', (message: ToEvidence | PaceTold) => {
    if ('rests' in message) pace.take(message);
    else if ('task' in message) void answer(message.task, stamp).then(say);
    else if ('stamp' in message) stamped.resolve(message.stamp);
    else stamped.reject(fromCarriedFault(message.fault));
  });
}

async function answer(
  task: KeepTask,
  stamp: (signature: Buffer) => Promise<Uint8Array>,
): Promise<FromEvidence> {
  try {
    return { kept: await keepPackage(task, stamp) };
  } catch (error) {
    return { fault: toCarriedFault(error) };
  }
}
