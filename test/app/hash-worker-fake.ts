import { parentPort, workerData } from 'node:worker_threads';
import type { FromHashThread, ToHashThread } from '../../src/app/doors/hash-protocol.ts';

/** A thread that does what its address says: `die`, `throw`, `refuse`, or nothing until it is ended. */
const port = parentPort;

port?.on('message', (asked: ToHashThread) => {
  if (asked === null) port.close();
  else if (workerData === 'die') process.exit(7);
  else if (workerData === 'throw') throw new TypeError('a defect');
  else if (workerData === 'refuse') {
    const fault = { code: 'unavailable', message: 'the database went away', hint: 'Start it' } as const;
    port.postMessage({ kind: 'failed', fault } satisfies FromHashThread);
  }
});
