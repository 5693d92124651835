import { parentPort, workerData } from 'node:worker_threads';
import { runRowsWorker } from '../src/app/evidence/rows-worker.ts';
import type { RowsTask } from '../src/app/evidence/rows-protocol.ts';

/** Runs where a command started it as a thread, and nowhere else. */
if (parentPort !== null) void runRowsWorker(parentPort, workerData as RowsTask);
