import { IpoError, isIpoError, type FieldFault } from '../../base/index.ts';
import type { CallFault } from './protocol.ts';

/** toCallFault writes what was thrown so that it can cross to another thread. */
export function toCallFault(error: unknown): CallFault {
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

/** fromCallFault gives the error that it was. */
export function fromCallFault({ code, message, ...more }: CallFault): Error {
  if (code === null) return new Error('a call met a fault of its own', { cause: message });
  return new IpoError(code, message, more);
}
