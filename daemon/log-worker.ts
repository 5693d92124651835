import { parentPort, workerData } from 'node:worker_threads';
import { runLogWorker, type LogFile } from '../src/app/running/log-worker.ts';

/** Runs where the service started it as a thread, and nowhere else. */
if (parentPort !== null) void runLogWorker(parentPort, workerData as LogFile);
