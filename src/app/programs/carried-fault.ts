import { IpoError, isIpoError, type ErrorCode, type FieldFault } from '../../base/index.ts';

/** CarriedFault is what was thrown in another process or thread, as data; code null for a defect, whose message is for the log. */
export interface CarriedFault {
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly fields?: readonly FieldFault[] | undefined;
}

/** toCarriedFault writes what was thrown so that it can cross to another thread. */
export function toCarriedFault(error: unknown): CarriedFault {
  if (!isIpoError(error)) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { code: null, message };
  }
  const { code, message, hint, retryAfter } = error;
  // The faults of a policy stand beside it, with line and column.
  const problems = 'problems' in error && Array.isArray(error.problems) ? error.problems : undefined;
  const fields = error.fields ?? (problems as readonly FieldFault[] | undefined);
  return {
    code,
    message,
    hint,
    retryAfter,
    fields: fields?.map(({ path, message: said }) => ({ path, message: said })),
  };
}

/** fromCarriedFault gives the error that it was. */
export function fromCarriedFault({ code, message, ...more }: CarriedFault): Error {
  if (code === null) return new Error('a call met a fault of its own', { cause: message });
  return new IpoError(code, message, more);
}
