import type { SharedFile } from '../../adapters/files/index.ts';
import { IpoError, type ErrorCode, type IpoErrorOptions } from '../../base/index.ts';
import type { RowsOptions, RowsOutcome } from '../../evidence/index.ts';

/** RowsTask is what a thread that verifies rows of a package is started with. */
export interface RowsTask {
  /** The package, which the thread that started this one keeps open. */
  readonly file: SharedFile;
  readonly options: RowsOptions;
}

/** FromRowsThread is its only message: the outcome, with the fault as data. */
export type FromRowsThread = Exclude<RowsOutcome, { kind: 'fault' }> | CarriedRowsFault;

interface CarriedRowsFault extends Pick<IpoErrorOptions, 'place' | 'hint'> {
  readonly kind: 'fault';
  readonly code: ErrorCode;
  readonly message: string;
}

/** toMessage writes an outcome so that it can cross to another thread. */
export function toMessage(outcome: RowsOutcome): FromRowsThread {
  if (outcome.kind === 'verified') return outcome;
  const { code, message, place, hint } = outcome.fault;
  return { kind: 'fault', code, message, place, hint };
}

/** fromMessage gives the outcome that it was. */
export function fromMessage(message: FromRowsThread): RowsOutcome {
  if (message.kind === 'verified') return message;
  const { code, message: text, place, hint } = message;
  return { kind: 'fault', fault: new IpoError(code, text, { place, hint }) };
}
