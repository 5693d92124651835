import { IpoError, type ErrorCode, type IpoErrorOptions } from '../../base/index.ts';

/** ServiceError says why a call of a service failed: what the service itself said of it, or what kept us from asking. */
export class ServiceError extends IpoError {
  override readonly name = 'ServiceError';
  /** HTTP status that the service answered with; null when it did not answer. */
  readonly status: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: IpoErrorOptions & { readonly status?: number } = {},
  ) {
    super(code, message, options);
    this.status = options.status ?? null;
  }
}
