import { IpoError } from '../../base/index.ts';

/** FeedError says why a catalogue that others publish cannot be used; exit code 2. */
export class FeedError extends IpoError {
  override readonly name = 'FeedError';
  constructor(code: 'invalid_report', file: string, message: string, hint?: string, cause?: unknown) {
    super(code, message, { place: { file }, hint, cause });
  }
}
