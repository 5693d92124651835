/** ErrorPlace says where in a document or stream a fault stands; line and column count from 1. */
export interface ErrorPlace {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** IpoErrorOptions are what an expected fault can say beside its sentence. */
export interface IpoErrorOptions {
  readonly place?: ErrorPlace | undefined;
  /** What the reader of the message should do next: a whole sentence without a period. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/**
 * IpoError is the base of every expected fault. `message` is for the user and carries no secret; `code` is one
 * of the closed list of the folder that throws; `cause` is for the log alone.
 */
export class IpoError extends Error {
  override readonly name: string = 'IpoError';
  readonly code: string;
  readonly place: ErrorPlace | undefined;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: IpoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.place = options.place;
    this.hint = options.hint;
  }
}

/** isIpoError tells an expected fault from a defect. */
export function isIpoError(error: unknown): error is IpoError {
  return error instanceof IpoError;
}
