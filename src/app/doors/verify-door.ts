import type { MessagePort } from 'node:worker_threads';

/** runVerifyWorker makes this thread the one that signatures are verified in, for the caller that started it. */
export async function runVerifyWorker(port: MessagePort): Promise<void> {
  (await import('../../adapters/sigstore/index.ts')).serveVerification(port);
}
