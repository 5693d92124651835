import { IpoError, type ErrorPlace } from '../base/index.ts';

/** RecordingError says why something cannot be made into a ledger. */
export class RecordingError extends IpoError {
  override readonly name = 'RecordingError';
  constructor(code: 'format' | 'empty', message: string, place: ErrorPlace, hint?: string) {
    super(code, message, { place, hint });
  }
}
