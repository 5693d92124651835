import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { isLoopback } from '../../base/index.ts';
import { SendError } from '../../notify/index.ts';
import {
  openAddressCheck,
  openTunnel,
  ProxyFault,
  type AddressRules,
  type Outbound,
} from '../transport/index.ts';

/** Addresses of one name that are tried, such as one for IPv6 and one for IPv4. */
const MOST_ADDRESSES = 4;

/** MailTarget is a mail server, and what decides how it is reached. */
export interface MailTarget {
  readonly host: string;
  readonly port: number;
  readonly rules: AddressRules;
  /** Through which proxy; directly unless said. */
  readonly outbound: Outbound | undefined;
  /** Gives the addresses of a name; the system's unless said. */
  readonly resolve: ((host: string) => Promise<readonly string[]>) | undefined;
  readonly timeoutMs: number;
}

/** MailWay is one way to a mail server. */
export interface MailWay {
  /** The address to connect to; through a proxy what the server is called. */
  readonly host: string;
  /** The connection that a proxy made; null where the library is to connect itself. Throws SendError. */
  open(): Promise<Socket | null>;
}

/**
 * waysTo gives the ways to a mail server, first the one to try first. What a name leads to is judged by the very address that is then
 * connected to; through a proxy it is the proxy's to resolve and to allow. Throws SendError.
 */
export async function waysTo(target: MailTarget): Promise<readonly MailWay[]> {
  const { host, port, rules, outbound, resolve = resolved } = target;
  const bare = host.replace(/^\[|\]$/g, '');
  const proxy = outbound?.proxyOf?.(bare, port) ?? null;
  // A mail server of one's own may stand beside the service, if it is named as what it is.
  const faultOf = openAddressCheck(isLoopback(host) ? { ...rules, testLoopback: true } : rules);
  const checked = (address: string): string => {
    const fault = faultOf(address);
    if (fault === null) return address;
    throw new SendError('refused', `${host} resolves to ${address}, which ${fault}; it is not called`);
  };
  if (isIP(bare) !== 0) checked(bare);
  if (proxy !== null && outbound !== undefined) {
    const { timeoutMs } = target;
    const named = `${isIP(bare) === 6 ? `[${bare}]` : bare}:${port}`;
    return [{ host: bare, open: () => tunnel({ proxy, target: named, timeoutMs, outbound }) }];
  }
  const addresses = isIP(bare) === 0 ? (await addressesOf(host, resolve)).map(checked) : [bare];
  return addresses.slice(0, MOST_ADDRESSES).map((address) => ({ host: address, open: async () => null }));
}

async function tunnel(options: Parameters<typeof openTunnel>[0]): Promise<Socket> {
  try {
    // What a proxy gives is a connection of this process, TCP or TLS.
    return (await openTunnel(options)) as Socket;
  } catch (error) {
    if (!(error instanceof ProxyFault)) throw error;
    throw new SendError('later', `${options.target} ${error.message}`, { hint: error.hint, cause: error });
  }
}

async function addressesOf(
  host: string,
  resolve: (host: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    throw new SendError(
      'later',
      code === 'ENOTFOUND' ? `${host} is not a known host` : `${host} cannot be looked up now`,
      { cause: error },
    );
  }
}

async function resolved(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
