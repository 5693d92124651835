import { parentPort } from 'node:worker_threads';
import { runVerifyWorker } from '../src/app/doors/verify-door.ts';

/** Runs where the service started it as a thread, and nowhere else. */
if (parentPort !== null) void runVerifyWorker(parentPort);
