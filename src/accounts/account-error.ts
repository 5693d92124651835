import { IpoError, type ErrorCode, type IpoErrorOptions } from '../base/index.ts';

/** AccountErrorCode lists what can go wrong with accounts and sign-in. */
export type AccountErrorCode = Extract<
  ErrorCode,
  | 'unauthenticated'
  | 'bad_credentials'
  | 'locked_out'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'invalid_request'
  | 'unavailable'
>;

/**
 * AccountError is an expected fault of accounts and sign-in. `bad_credentials` says the same whatever was wrong with them;
 * `locked_out` and `unavailable` say with `retryAfter` when to come back.
 */
export class AccountError extends IpoError {
  override readonly name = 'AccountError';

  constructor(code: AccountErrorCode, message: string, options: IpoErrorOptions = {}) {
    super(code, message, options);
  }
}

/** invalidField says that one field of a request is wrong; `message` is a sentence without the field's name. */
export function invalidField(path: string, message: string, hint?: string): AccountError {
  return new AccountError('invalid_request', `${path}: ${message}`, { hint, fields: [{ path, message }] });
}
