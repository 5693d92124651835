import { parentPort, workerData } from 'node:worker_threads';
import { runHashWorker } from '../src/app/doors/hash-worker.ts';

/** Runs where a verification started it as a thread, and nowhere else. */
if (parentPort !== null) void runHashWorker(parentPort, workerData as string);
