import { ClusterError, type ClusterFault } from '../../cluster/index.ts';

/** StatusBody is the API server's own account of a fault. */
interface StatusBody {
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: { readonly retryAfterSeconds?: number };
}

const BY_STATUS: Readonly<Record<number, ClusterFault>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'rate_limited',
};

/** toFault gives the error for an answer that is not a success; `what` names the call for people: `the Lease ipo/leader`. */
export function toFault(status: number, text: string, what: string, retryAfter?: string): ClusterError {
  const body = parseStatus(text);
  const fault = BY_STATUS[status] ?? (status >= 500 ? 'server' : 'unreadable');
  const reason = (body.message ?? '').replaceAll(/\s+/g, ' ').slice(0, 500);
  const seconds = Number(retryAfter ?? body.details?.retryAfterSeconds ?? NaN);
  const error = new ClusterError(
    fault,
    `${what}: the API server answers ${status}${reason === '' ? '' : `, ${reason}`}`,
    {
      ...(fault === 'forbidden' && { hint: 'Give the service account the right that the sentence names' }),
      ...(seconds > 0 && seconds <= 3600 && { retryAfter: Math.ceil(seconds) }),
    },
  );
  if (status === 429 || status === 503) putOffs.add(error);
  return error;
}

const putOffs = new WeakSet<ClusterError>();

/** isPutOff tells whether the server did not take a call and says when it may be made again: a write too. */
export function isPutOff(error: unknown): error is ClusterError & { readonly retryAfter: number } {
  return error instanceof ClusterError && putOffs.has(error) && error.retryAfter !== undefined;
}

/** statusFault gives the error of a Status object that came as an event of a watch. */
export function statusFault(value: unknown, what: string): ClusterError {
  const { code = 500 } = (value ?? {}) as StatusBody;
  return toFault(code, JSON.stringify(value ?? {}), what);
}

/** toNetworkFault gives the error of a call that had no answer. */
export function toNetworkFault(cause: unknown, what: string): ClusterError {
  if (cause instanceof ClusterError) return cause;
  const { code = '', name = '' } = cause as { code?: string; name?: string };
  const late =
    name === 'TimeoutError' || name === 'AbortError' || /^UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT$/.test(code);
  return new ClusterError(
    late ? 'timeout' : 'network',
    `${what}: the API server ${late ? 'did not answer in time' : `cannot be reached (${code === '' ? name : code})`}`,
    { cause },
  );
}

function parseStatus(text: string): StatusBody {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return { message: text.slice(0, 200) };
  }
}
