import { toCarriedFault, type CarriedFault } from '../programs/carried-fault.ts';
import { tellPace, type PaceTold, type Traffic } from '../programs/pace.ts';
import { passedOn } from '../programs/passed-on.ts';
import { ONE_THREAD, startProcess } from '../programs/worker-entry.ts';
import type { Kept, KeepTask } from './keep.ts';

/** FromEvidence is what the process of a package answers. */
export type FromEvidence =
  | { readonly kept: Kept }
  | { readonly fault: CarriedFault }
  /** Asks for a time stamp. */
  | { readonly query: Uint8Array };

/** MadeOrNot is how a try ended. */
export type MadeOrNot = Exclude<FromEvidence, { readonly query: Uint8Array }>;

/** ToEvidence is what it is told. */
export type ToEvidence =
  | { readonly task: KeepTask }
  | { readonly stamp: Uint8Array }
  | { readonly fault: CarriedFault };

/** Stamp asks an authority for a time stamp, by a TimeStampReq. */
export type Stamp = (query: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>;

/** MiB of heap: a batch of rows, the document, and its PDF. */
const MEMORY = 512;
/** MiB for what is new: with more the process would only collect later, and take a third more memory. */
const NEW = 8;
/** Percent by which the heap grows before it is collected again: with more a long package takes a quarter more memory than a short one. */
const GROWTH = 40;
/** MAKER_FLAGS are those of the engine with which a package is made beside the service. */
export const MAKER_FLAGS: readonly string[] = [
  ...[`--max-old-space-size=${MEMORY}`, `--max-semi-space-size=${NEW}`],
  ...[`--heap-growing-percent=${GROWTH}`, ONE_THREAD],
];

/**
 * keepInChild makes a package in a process at the lowest priority, which rests most of the time while reviews come, so that none waits for
 * it, nor a call. Ends the process when `signal` aborts. Null where it ended without an answer.
 */
export function keepInChild(
  task: KeepTask,
  stamp: Stamp,
  signal: AbortSignal,
  traffic: Traffic,
): Promise<MadeOrNot | null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    const child = startProcess('evidence-worker', {
      execArgv: [...MAKER_FLAGS],
      env: passedOn(process.env),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let answered: MadeOrNot | null = null;
    // One that is gone already tells it by its exit.
    const tell = (message: ToEvidence | PaceTold): void => void child.send(message, () => {});
    const end = (): void => void child.kill('SIGKILL');
    const over = (): void => {
      endPace();
      signal.removeEventListener('abort', end);
      resolve(answered);
    };
    signal.addEventListener('abort', end);
    child.on('message', (answer: FromEvidence) => {
      if ('query' in answer)
        return void stamp(answer.query, signal).then(
          (stamped) => tell({ stamp: stamped }),
          (error: unknown) => tell({ fault: toCarriedFault(error) }),
        );
      answered = answer;
      child.disconnect();
    });
    child.on('error', over);
    child.on('exit', over);
    const endPace = tellPace(tell, traffic);
    tell({ task });
  });
}
