import type { MessagePort } from 'node:worker_threads';
import type { CallSetup } from './protocol.ts';

/** runCallWorker makes this thread one that answers costly calls, for the caller that started it. */
export async function runCallWorker(port: MessagePort, setup: unknown): Promise<void> {
  (await import('./worker.ts')).serveCalls(port, setup as CallSetup);
}
