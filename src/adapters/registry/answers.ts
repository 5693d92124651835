import { printable } from '../../base/index.ts';
import { RegistryError } from '../../image/index.ts';
import type { HttpAnswer } from './call.ts';
import type { Endpoint } from './hosts.ts';
import { readJson } from './manifest.ts';
import { toSeconds } from './tokens.ts';

/** What registries call what they do not have; `NOT_FOUND` is Harbor's. */
const ABSENT = new Set([
  'MANIFEST_UNKNOWN',
  'NAME_UNKNOWN',
  'BLOB_UNKNOWN',
  'MANIFEST_BLOB_UNKNOWN',
  'TAG_UNKNOWN',
  'NOT_FOUND',
]);

/** Statuses of a registry, or of what stands before it, that pass by themselves. */
const BUSY = [429, 502, 503, 504];

/**
 * toAnswerError gives the error for an answer that is not a success. "Not there" is believed only of a registry's own error: a page of a
 * proxy, an empty answer or another server's JSON says nothing of what the registry has. `what` names what was asked for: `shop/web:1.2`.
 */
export function toAnswerError(
  { status, headers, bytes }: HttpAnswer,
  { host }: Endpoint,
  what: string,
): RegistryError {
  const code = codeOf(bytes);
  const retryAfter = toSeconds(headers['retry-after'], headers['date']);
  const shown = code === '' ? `status ${status}` : `status ${status}, ${code}`;
  if (status === 429 || code === 'TOOMANYREQUESTS')
    return new RegistryError('rate_limited', `${host} asks to slow down${forSeconds(retryAfter)}`, {
      remedy: 'slow_down',
      retryAfter,
      busy: true,
    });
  if (status === 403 || status === 451 || (status === 404 && (code === 'DENIED' || code === 'UNAUTHORIZED')))
    return new RegistryError('denied', `${host} denies access to ${what} (${shown})`, {
      remedy: 'sign_in',
      hint: 'Give a credential that may read the repository; some registries say the same of a repository that is not there',
    });
  if (status === 404) {
    return ABSENT.has(code)
      ? new RegistryError('absent', `${host} has no ${what}`)
      : new RegistryError(
          'unreadable',
          `${host} answers 404, but not as a registry does that has no ${what}`,
          {
            remedy: 'look_between',
            hint: 'Check the host: there may be no registry, or a proxy before it',
          },
        );
  }
  // As Go's servers, which most registries are, tell a caller over plain HTTP.
  if (status === 400 && bytes.toString('latin1').startsWith('Client sent an HTTP request to an HTTPS server'))
    return new RegistryError('refused', `${host} speaks TLS and was called over plain HTTP`, {
      hint: 'Do not allow plain HTTP for this registry (plainHttp: false)',
    });
  if (status >= 500 || status === 408 || status === 425) {
    const error = new RegistryError('unavailable', `${host} answers with a server error (${shown})`, {
      remedy: 'reach',
      retryAfter,
      busy: BUSY.includes(status),
    });
    ownFaults.add(error);
    return error;
  }
  return new RegistryError(
    'unreadable',
    `${host} does not answer for ${what} as a registry does (${shown})`,
    { remedy: 'look_between' },
  );
}

const ownFaults = new WeakSet<RegistryError>();

/** isOwnFault tells whether a registry answered that it has a fault, as against that it did not answer. */
export function isOwnFault(error: unknown): boolean {
  return error instanceof RegistryError && ownFaults.has(error);
}

function forSeconds(seconds: number | undefined): string {
  return seconds === undefined ? '' : ` for ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
}

/** The code of the first error that a registry's answer holds; empty where it is none of a registry. */
function codeOf(bytes: Buffer): string {
  const errors = readJson(bytes)?.['errors'];
  const code = Array.isArray(errors) ? (errors[0] as { code?: unknown } | undefined | null)?.code : undefined;
  return typeof code === 'string' ? printable(code, 60) : '';
}
