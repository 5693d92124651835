import { parentPort, workerData } from 'node:worker_threads';
import { runCallWorker } from '../src/app/calls/door.ts';

/** Runs where the service started it as a thread, and nowhere else. */
if (parentPort !== null) void runCallWorker(parentPort, workerData);
