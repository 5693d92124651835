import { IpoError } from '../../base/index.ts';

/** FeedError says why a catalogue that others publish cannot be used: it is none, or cannot be had. */
export class FeedError extends IpoError {
  override readonly name = 'FeedError';
  constructor(
    code: 'invalid_report' | 'network' | 'unreadable' | 'too_large',
    file: string,
    message: string,
    hint?: string,
    cause?: unknown,
  ) {
    super(code, message, { place: { file }, hint, cause });
  }
}
