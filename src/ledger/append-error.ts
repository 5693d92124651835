import { IpoError, type IpoErrorOptions } from '../base/index.ts';

/**
 * AppendError says why rows were not recorded: `unavailable` (neither the database nor the spool took them: worth another try),
 * `invalid_request` or `too_large` (they never can be), `conflict` (their leader leads no more).
 */
export class AppendError extends IpoError {
  override readonly name = 'AppendError';

  constructor(
    code: 'unavailable' | 'invalid_request' | 'too_large' | 'conflict',
    message: string,
    options: IpoErrorOptions = {},
  ) {
    super(code, message, options);
  }
}
