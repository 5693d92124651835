import { IpoError, type IpoErrorOptions } from '../../base/index.ts';

/** SpoolError says that the spool's directory or one of its files cannot be read (`unreadable`) or written (`unwritable`). */
export class SpoolError extends IpoError {
  override readonly name = 'SpoolError';

  constructor(code: 'unreadable' | 'unwritable', message: string, options: IpoErrorOptions = {}) {
    super(code, message, options);
  }
}
