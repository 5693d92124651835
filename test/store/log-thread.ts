import { parentPort, workerData } from 'node:worker_threads';
import { runLogWorker } from '../../src/app/running/log-worker.ts';

/** The thread of `daemon/log-worker.ts`, without all that the programs beside it load. */
if (parentPort !== null) void runLogWorker(parentPort, String(workerData));
