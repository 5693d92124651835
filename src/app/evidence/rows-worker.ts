import type { MessagePort } from 'node:worker_threads';
import { readDescriptor } from '../../adapters/files/index.ts';
import { verifyRowsOf } from '../../evidence/index.ts';
import { gunzip } from './gunzip.ts';
import { toMessage, type RowsTask } from './rows-protocol.ts';

/** runRowsWorker makes this thread the one that verifies the rows of one package, and ends with its answer. */
export async function runRowsWorker(port: MessagePort, { file, options }: RowsTask): Promise<void> {
  port.postMessage(toMessage(await verifyRowsOf(readDescriptor(file), gunzip, options)));
}
