import { STATUS_CODES } from 'node:http';
import { isIpoError, printable, type ErrorCode, type FieldFault } from '../base/index.ts';
import type { Problem } from './contract/problem.ts';

/** STATUS is the one table of error code → HTTP status. */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  usage: 400,
  invalid_policy: 400,
  invalid_facts: 400,
  invalid_report: 400,
  invalid_manifest: 400,
  unknown_source: 400,
  out_of_range: 400,
  format: 400,
  empty: 400,
  not_text: 400,
  invalid_request: 400,
  unauthenticated: 401,
  bad_credentials: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  precondition_required: 428,
  locked_out: 429,
  rate_limited: 429,
  damaged: 500,
  truncated: 500,
  invalid_config: 500,
  server_fault: 500,
  port_taken: 500,
  integrity: 500,
  network: 502,
  unreadable: 503,
  unwritable: 503,
  unavailable: 503,
  key_missing: 503,
  migration: 503,
};

/** Statuses that say "later": without a time of the error's own the client is asked to wait this many seconds. */
const RETRY_AFTER: Readonly<Record<number, number>> = { 429: 60, 503: 5 };

/** SentProblem is a problem document with what belongs into the head of its answer. */
export interface SentProblem {
  readonly status: number;
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * toProblem turns anything that was thrown into an RFC 9457 problem document. Only an expected fault speaks for itself;
 * of a defect the client learns nothing but that it happened (its cause is for the log). No answer has a stack trace.
 */
export function toProblem(error: unknown, requestId: string): SentProblem {
  if (!isIpoError(error)) {
    return asProblem('server_fault', 'the service met a fault of its own', {
      requestId,
      hint: 'The log has it under this request_id',
    });
  }
  const { code, message, hint, retryAfter } = error;
  const fields = error.fields ?? problemsOf(error);
  return asProblem(code, message, { requestId, hint, retryAfter, fields });
}

interface ProblemParts {
  readonly requestId: string;
  readonly status?: number;
  readonly hint?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly fields?: readonly FieldFault[] | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** asProblem makes a problem document of a code and a sentence. */
export function asProblem(code: ErrorCode, detail: string, parts: ProblemParts): SentProblem {
  const status = parts.status ?? STATUS[code];
  const wait = parts.retryAfter ?? RETRY_AFTER[status];
  const fields = parts.fields ?? [];
  return {
    status,
    problem: {
      type: `https://ipo.dev/problems/${code}`,
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: printable(detail, 2000),
      code,
      ...(parts.hint !== undefined && { hint: printable(parts.hint, 1000) }),
      ...(fields.length > 0 && {
        errors: fields.slice(0, 100).map(({ path, message }) => ({
          path: printable(path, 500),
          message: printable(message, 1000),
        })),
      }),
      request_id: parts.requestId,
    },
    headers: {
      ...(wait !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(wait))) }),
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="ipo"' }),
      ...parts.headers,
    },
  };
}

/** The faults of a policy, which its own error carries with line and column too. */
function problemsOf(error: object): readonly FieldFault[] | undefined {
  return 'problems' in error && Array.isArray(error.problems)
    ? (error.problems as readonly FieldFault[])
    : undefined;
}
