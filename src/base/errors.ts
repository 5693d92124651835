/** ERROR_CODES lists every expected fault; the command line gives each an exit code. */
export const ERROR_CODES = [
  'usage',
  'invalid_policy',
  'invalid_facts',
  'invalid_report',
  'invalid_manifest',
  'unknown_source',
  'out_of_range',
  'damaged',
  'truncated',
  'format',
  'empty',
  'too_large',
  'not_text',
  'unreadable',
  'unwritable',
  'invalid_request',
  'invalid_config',
  'unauthenticated',
  'bad_credentials',
  'forbidden',
  'locked_out',
  'not_found',
  'conflict',
  'precondition_failed',
  'precondition_required',
  'rate_limited',
  'unavailable',
  'network',
  'server_fault',
  'port_taken',
  'key_missing',
  'migration',
  'integrity',
] as const;

/** ErrorCode is one expected fault. */
export type ErrorCode = (typeof ERROR_CODES)[number];

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
  /** Whole seconds after which the same call may succeed, where that is known. */
  readonly retryAfter?: number | undefined;
  /** Each fault of a request or document by its path, where there may be several. */
  readonly fields?: readonly FieldFault[] | undefined;
  readonly cause?: unknown;
}

/** FieldFault is one fault of a request or document; `path` is as `spec.sla.high`, empty for the whole. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/**
 * IpoError is the base of every expected fault. `message` is for the user and carries no secret; `code` is one of the closed list of the
 * folder that throws; `cause` is only for the log.
 */
export class IpoError extends Error {
  override readonly name: string = 'IpoError';
  readonly code: ErrorCode;
  readonly place: ErrorPlace | undefined;
  readonly hint: string | undefined;
  readonly retryAfter: number | undefined;
  readonly fields: readonly FieldFault[] | undefined;

  constructor(code: ErrorCode, message: string, options: IpoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.place = options.place;
    this.hint = options.hint;
    this.retryAfter = options.retryAfter;
    this.fields = options.fields;
  }
}

/** isIpoError tells an expected fault from a defect. */
export function isIpoError(error: unknown): error is IpoError {
  return error instanceof IpoError;
}
