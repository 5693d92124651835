import { parentPort } from 'node:worker_threads';
import { serveVerification } from '../../src/adapters/sigstore/index.ts';

/** The program of the thread in the tests, as daemon/verify-worker.ts is in the service. */
if (parentPort !== null) serveVerification(parentPort);
