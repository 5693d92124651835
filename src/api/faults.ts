import type { Socket } from 'node:net';
import { isIpoError, IpoError } from '../base/index.ts';
import { NotAcceptable } from './negotiate.ts';
import { BASE_PATH } from './paths.ts';
import { asProblem, toProblem, type SentProblem } from './problems.ts';

/** toSent turns whatever a request met, faults of the HTTP frame included, into the problem that is sent. */
export function toSent(error: unknown, requestId: string): SentProblem {
  if (error instanceof NotAcceptable) {
    return asProblem(error.code, error.message, { status: 406, hint: error.hint, requestId });
  }
  if (isIpoError(error)) return toProblem(error, requestId);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return toProblem(new IpoError('too_large', 'the body is larger than this call takes'), requestId);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return asProblem('invalid_request', 'the body is of a type that this call does not take', {
        status: 415,
        hint: 'Send JSON, with `Content-Type: application/json`',
        requestId,
        headers: { accept: 'application/json' },
      });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return asProblem('invalid_request', 'the body is not as long as Content-Length says', { requestId });
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_ASYNC_CONSTRAINT':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return asProblem('invalid_request', 'the path of the request cannot be read', { requestId });
    default:
      return toProblem(error, requestId);
  }
}

/** Calls that earlier releases had: not there at all, though the path has other methods, and where to go instead. */
const GONE: Readonly<Record<string, string>> = {
  [`POST ${BASE_PATH}/integrations/detector`]:
    'Events come to the listener of the detector: integrations.detector.enabled, integrations.port',
};

/** refusalOf tells a path that is not there from a method that it does not have. */
export function refusalOf(
  method: string,
  path: string,
  allowed: readonly string[],
  requestId: string,
): SentProblem {
  const gone = GONE[`${method} ${path}`];
  if (gone !== undefined)
    return asProblem('not_found', `${path} does not take ${method} any more`, { requestId, hint: gone });
  if (allowed.length === 0)
    return asProblem('not_found', `there is nothing at ${path}`, {
      requestId,
      hint: 'GET /api/v1/openapi.json lists what there is',
    });
  return asProblem('invalid_request', `${path} does not take ${method}, only ${allowed.join(', ')}`, {
    requestId,
    status: 405,
    headers: { allow: allowed.join(', ') },
  });
}

/** What Node's HTTP parser refuses before there is a request. */
const REFUSALS: Readonly<Record<string, readonly [status: number, line: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'the head of the request is too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large', 'the extensions of a chunk are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'the request did not arrive in time'],
};

/** writeRefusal answers on a bare connection what cannot become a request, and ends it. */
export function writeRefusal(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: Readonly<Record<string, string>>,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, line, detail] = REFUSALS[error.code ?? ''] ?? [
    400,
    'Bad Request',
    'this is not an HTTP request',
  ];
  const body = JSON.stringify({
    type: 'https://ipo.dev/problems/invalid_request',
    title: line,
    status,
    detail,
    code: 'invalid_request',
  });
  const head = Object.entries({
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${line}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
