import { printable } from '../../base/index.ts';
import { RegistryError } from '../../image/index.ts';
import { AddressRefused, ProxyFault } from '../transport/index.ts';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'is not a known host',
  EAI_AGAIN: 'cannot be looked up now',
  ECONNRESET: 'cut the connection',
  EPIPE: 'cut the connection',
  UND_ERR_SOCKET: 'cut the connection',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be reached',
  ETIMEDOUT: 'cannot be reached',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  UND_ERR_HEADERS_TIMEOUT: 'did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'did not answer in time',
};

const UNTRUSTED = 'has a certificate that no trusted authority signed';
const CERTIFICATES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
};

/** Whether the other side ended a connection that was kept, before it answered: the call can be made once more. */
export function isCutOff(error: unknown): boolean {
  return codesOf(error).some(
    (code) => code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE',
  );
}

/** toNetworkError gives the error of a call without an answer. */
export function toNetworkError(error: unknown, host: string): RegistryError {
  if (error instanceof RegistryError) return error;
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof AddressRefused)
      return new RegistryError('refused', `${host} ${at.message}; it was not called`, { cause: error });
    if (at instanceof ProxyFault)
      return new RegistryError('unavailable', `${host} ${at.message}`, {
        remedy: 'reach',
        hint: at.hint,
        cause: error,
      });
  }
  const codes = codesOf(error);
  for (const code of codes) {
    if (Object.hasOwn(CERTIFICATES, code))
      return new RegistryError('unavailable', `${host} ${CERTIFICATES[code]}`, {
        certificate: true,
        remedy: CERTIFICATES[code] === UNTRUSTED ? 'trust_certificate' : undefined,
        hint: 'Name the authority of the registry in its settings (ca), or let the registry show another certificate',
        cause: error,
      });
    if (Object.hasOwn(REASONS, code))
      return new RegistryError('unavailable', `${host} ${REASONS[code]}`, { remedy: 'reach', cause: error });
    if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
      return new RegistryError('refused', `${host} does not speak TLS`, {
        remedy: 'allow_plain_http',
        hint: 'Allow plain HTTP for this registry (plainHttp) where that is meant',
        cause: error,
      });
    if (/^(?:HPE_|UND_ERR_HEADERS_OVERFLOW)/.test(code))
      return new RegistryError('unreadable', `${host} does not answer as HTTP says`, {
        remedy: 'look_between',
        cause: error,
      });
  }
  return new RegistryError(
    'unavailable',
    `${host} cannot be called (${printable(codes[0] ?? 'unknown fault', 60)})`,
    {
      remedy: 'reach',
      cause: error,
    },
  );
}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    const all = at instanceof AggregateError ? [at, ...(at.errors as Error[])] : [at];
    for (const { code, name } of all as NodeJS.ErrnoException[])
      if (typeof code === 'string' && code !== '') codes.push(code);
      else if (at.cause === undefined) codes.push(name);
  }
  return codes;
}
