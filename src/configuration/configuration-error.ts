import { IpoError, type IpoErrorOptions } from '../base/index.ts';

/** ConfigurationError says why a configuration cannot be imported as asked. */
export class ConfigurationError extends IpoError {
  override readonly name = 'ConfigurationError';
  constructor(
    code: 'invalid_request' | 'precondition_failed',
    message: string,
    options: IpoErrorOptions = {},
  ) {
    super(code, message, options);
  }
}
