import type { Duplex } from 'node:stream';
import { Client, type Dispatcher } from 'undici';
import type { Proxy } from '../proxy/index.ts';
import type { Outbound } from './outbound.ts';

/** ProxyFault is thrown where a proxy opens no tunnel: nothing was sent to the target. `message` follows the name of the target. */
export class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

/** proxyFaultOf finds the ProxyFault in an error of a library, which can wrap it; null where there is none. */
export function proxyFaultOf(error: unknown): ProxyFault | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ProxyFault) return at;
  return null;
}

/** TunnelOptions say where a tunnel leads. */
export interface TunnelOptions {
  readonly proxy: Proxy;
  /** `HOST:PORT`, an IPv6 address in brackets. */
  readonly target: string;
  readonly timeoutMs: number;
  /** The authorities that vouch for a proxy that is called by HTTPS. */
  readonly outbound: Pick<Outbound, 'secureContext'>;
}

/** openTunnel asks a proxy for a connection to a target, over which TLS then goes end to end. Throws ProxyFault. */
export async function openTunnel({ proxy, target, timeoutMs, outbound }: TunnelOptions): Promise<Duplex> {
  const { secureContext } = outbound;
  const client = new Client(proxy.origin, {
    connect: { timeout: timeoutMs, allowH2: false, ...(secureContext !== undefined && { secureContext }) },
    headersTimeout: timeoutMs,
  });
  let opened: Dispatcher.ConnectData;
  try {
    opened = await client.connect({
      path: target,
      headers: {
        host: target,
        ...(proxy.authorization !== null && { 'proxy-authorization': proxy.authorization.reveal() }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    await client.destroy();
    throw new ProxyFault(
      `cannot be reached: the proxy ${proxy.name} ${reasonOf(error, timeoutMs)}`,
      'Check outbound.proxy; targets to call without it belong in outbound.noProxy',
      error,
    );
  }
  const { statusCode, socket } = opened;
  if (statusCode >= 200 && statusCode < 300) return socket;
  socket.on('error', () => undefined).destroy();
  throw refused(proxy, target, statusCode);
}

function refused({ name, authorization }: Proxy, target: string, status: number): ProxyFault {
  // Some proxies, such as tinyproxy, say 401 to a wrong password.
  if (status === 407 || status === 401)
    return authorization === null
      ? new ProxyFault(
          `cannot be reached: the proxy ${name} asks for a user name and password (status ${status})`,
          'Add them to outbound.proxy: http://USER:PASSWORD@HOST:PORT, best in the file of outbound.proxyFile',
        )
      : new ProxyFault(
          `cannot be reached: the proxy ${name} does not accept the user name and password (status ${status})`,
          'Check both in outbound.proxy; only Basic authentication is supported',
        );
  if (status === 403)
    return new ProxyFault(
      `cannot be reached: the proxy ${name} denies it (status 403)`,
      `Allow ${target} at the proxy, or add the host to outbound.noProxy`,
    );
  return new ProxyFault(
    `cannot be reached: the proxy ${name} answers with status ${status}`,
    'Check that the proxy can reach the host; what it cannot reach may belong in outbound.noProxy',
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'is not a known host',
  EAI_AGAIN: 'cannot be looked up now',
  ECONNRESET: 'cut the connection',
  UND_ERR_SOCKET: 'cut the connection',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be reached in time',
  ETIMEDOUT: 'cannot be reached in time',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that no trusted authority signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that no trusted authority signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that no trusted authority signed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate that no trusted authority signed',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak HTTPS there',
};

function reasonOf(error: unknown, timeoutMs: number): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'TimeoutError') return `did not answer within ${timeoutMs / 1000} s`;
    const first = at instanceof AggregateError ? (at.errors[0] as NodeJS.ErrnoException) : at;
    const known = REASONS[(first as NodeJS.ErrnoException).code ?? ''];
    if (known !== undefined) return known;
  }
  const { name, code = name } = error as NodeJS.ErrnoException;
  return `cannot be called (${code})`;
}
