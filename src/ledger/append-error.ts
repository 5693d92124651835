import { IpoError, isIpoError, type IpoErrorOptions } from '../base/index.ts';
import { hasLostLead, type LeadershipError } from '../leadership/index.ts';

/**
 * AppendError says why rows were not recorded: `unavailable` (neither the database nor the spool took them: worth another try),
 * `invalid_request` or `too_large` (they never can be).
 */
export class AppendError extends IpoError {
  override readonly name = 'AppendError';

  constructor(
    code: 'unavailable' | 'invalid_request' | 'too_large',
    message: string,
    options: IpoErrorOptions = {},
  ) {
    super(code, message, options);
  }
}

/** isNever tells whether an entry is at fault, or its leader leads no more, and not the database. */
export function isNever(error: unknown): error is AppendError | LeadershipError {
  return hasLostLead(error) || (error instanceof AppendError && error.code !== 'unavailable');
}

/** asUnavailable says that the database does not take a review at the moment, with the hint of the error. */
export function asUnavailable(error: unknown): AppendError {
  const hint = isIpoError(error) ? error.hint : undefined;
  return new AppendError('unavailable', 'the database does not take the rows of the review', {
    hint,
    retryAfter: 5,
    cause: error,
  });
}

/** spoolFull says that there is no room for a review. */
export function spoolFull(): AppendError {
  return new AppendError(
    'unavailable',
    'the database does not take the rows of the review, and the spool is full',
    {
      hint: 'Make the database available again; the spool then empties by itself',
      retryAfter: 5,
    },
  );
}

/** withoutUid: what came from no review has no uid to be known again by, so that it could be put back twice; its maker makes it again. */
export function withoutUid(): AppendError {
  return new AppendError('unavailable', 'the database does not take rows at the moment', { retryAfter: 5 });
}
