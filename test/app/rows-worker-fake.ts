import { parentPort, workerData } from 'node:worker_threads';
import type { RowsTask } from '../../src/app/evidence/rows-protocol.ts';

/** A thread that does what the key says that it is given: `die`, `throw`, or end without an answer. */
const { options } = workerData as RowsTask;
const [key] = options.keys;
if (key?.name === 'die') process.exit(7);
if (key?.name === 'throw') throw new TypeError('a defect');
parentPort?.close();
