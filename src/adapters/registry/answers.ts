import { printable } from '../../base/index.ts';
import { RegistryError } from '../../image/index.ts';
import type { HttpAnswer } from './call.ts';
import type { Endpoint } from './hosts.ts';
import { toSeconds } from './tokens.ts';

/** Said is what a registry says of a fault. */
interface Said {
  readonly isJson: boolean;
  readonly code: string;
}

/**
 * toAnswerError gives the error for an answer that is no success. "Not there" is believed of a registry alone: a page of a proxy, or of
 * a server that is none, says nothing of what the registry has. `what` names what was asked for: `shop/web:1.2`.
 */
export function toAnswerError(
  { status, headers, bytes }: HttpAnswer,
  { host }: Endpoint,
  what: string,
): RegistryError {
  const { isJson, code } = saidOf(bytes);
  const shown = code === '' ? `status ${status}` : `status ${status}, ${code}`;
  if (status === 429 || code === 'TOOMANYREQUESTS')
    return new RegistryError('rate_limited', `${host} asks to slow down`, {
      retryAfter: toSeconds(headers['retry-after']),
    });
  if (status === 403 || status === 451 || (status === 404 && (code === 'DENIED' || code === 'UNAUTHORIZED')))
    return new RegistryError('denied', `${host} does not let ${what} be read (${shown})`, {
      hint: 'Give a credential that may read the repository; some registries say the same of a repository that is not there',
    });
  if (status === 404) {
    const isRegistry =
      isJson || bytes.length === 0 || headers['docker-distribution-api-version'] !== undefined;
    return isRegistry
      ? new RegistryError('absent', `${host} has no ${what}`)
      : new RegistryError('unreadable', `${host} answers 404 with a page, not as a registry does`, {
          hint: 'Check the host: there may be no registry, or a proxy before it',
        });
  }
  // As Go's servers, which most registries are, tell a caller over plain HTTP.
  if (status === 400 && bytes.toString('latin1').startsWith('Client sent an HTTP request to an HTTPS server'))
    return new RegistryError('refused', `${host} speaks TLS and was called over plain HTTP`, {
      hint: 'Do not allow plain HTTP for this registry (plainHttp: false)',
    });
  if (status >= 500 || status === 408 || status === 425)
    return new RegistryError('unavailable', `${host} has a fault of its own (${shown})`, {
      retryAfter: toSeconds(headers['retry-after']),
    });
  return new RegistryError('unreadable', `${host} does not answer for ${what} as a registry does (${shown})`);
}

/** The code of the first error that a registry's answer holds. */
function saidOf(bytes: Buffer): Said {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as { errors?: readonly { code?: unknown }[] } | null;
    if (typeof value !== 'object' || value === null) return { isJson: false, code: '' };
    const code = Array.isArray(value.errors)
      ? (value.errors[0] as { code?: unknown } | undefined)?.code
      : undefined;
    return { isJson: true, code: typeof code === 'string' ? printable(code, 60) : '' };
  } catch {
    return { isJson: false, code: '' };
  }
}
