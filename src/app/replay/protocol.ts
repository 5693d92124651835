import type { ColdImagePolicy } from '../../ledger/index.ts';
import type { PrintedRun, Replayed, ReplayJob } from '../../whatif/index.ts';
import type { CarriedFault } from '../programs/carried-fault.ts';

/** ReplaySetup says which ledger the process reads. It goes over the channel, since an address may hold a password. */
export interface ReplaySetup {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly url: string;
  readonly coldImagePolicy: ColdImagePolicy;
}

/** ReplayTask is one piece of work for the process. */
export type ReplayTask =
  | { readonly task: 'replay'; readonly job: ReplayJob }
  | { readonly task: 'print'; readonly run: PrintedRun };

/** ToWorker are the messages that the process takes. */
export type ToWorker =
  | { readonly kind: 'setup'; readonly setup: ReplaySetup }
  | { readonly kind: 'begin'; readonly id: number; readonly task: ReplayTask }
  | { readonly kind: 'cancel'; readonly id: number };

/** FromWorker are the messages that the process sends: every task that begins ends with `done` or `failed`. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: number; readonly value: Replayed | Uint8Array }
  | { readonly kind: 'failed'; readonly id: number; readonly fault: CarriedFault };
