import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import { openAddressCheck, type AddressRules } from './address.ts';
import { DIRECT, type Outbound } from './outbound.ts';
import { openTunnel } from './tunnel.ts';

/** AddressRefused is thrown before a connection: the name resolves to an address that is never called. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

const throughProxy = callbackify(openTunnel);

/** ConnectOptions say how connections are made. */
export interface ConnectOptions {
  readonly rules: AddressRules;
  /** Milliseconds until a connection stands. */
  readonly timeoutMs: number;
  /** Resolves names; the system's unless said. */
  readonly lookup?: LookupFunction | undefined;
  /** Through which proxy, and whom TLS trusts; directly and the authorities of the system unless said. */
  readonly outbound?: Outbound | undefined;
}

/**
 * openConnector connects only to checked addresses. The check judges the very addresses that the socket is then given, so a name that
 * resolves differently the next time gains nothing; one forbidden address among several refuses them all. Through a proxy, a target that is
 * written as an address is checked likewise; a name is resolved by the proxy, which decides what it may lead to.
 */
export function openConnector({
  rules,
  timeoutMs,
  lookup = systemLookup as LookupFunction,
  outbound = DIRECT,
}: ConnectOptions): buildConnector.connector {
  const faultOf = openAddressCheck(rules);
  const checked: LookupFunction = (host, options, callback) => {
    lookup(host, options, (error, found, family) => {
      if (error !== null) {
        callback(error, found, family);
        return;
      }
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      const fault = addresses
        .map((address) => ({ address, why: faultOf(address) }))
        .find(({ why }) => why !== null);
      if (addresses.length === 0 || fault !== undefined) {
        callback(
          new AddressRefused(
            fault === undefined ? 'has no address' : `resolves to ${fault.address}, which ${fault.why}`,
          ),
          '',
          0,
        );
        return;
      }
      callback(null, found, family);
    });
  };
  const connect = buildConnector({
    lookup: checked,
    timeout: timeoutMs,
    allowH2: false,
    maxCachedSessions: 0,
    ...(outbound.secureContext !== undefined && { secureContext: outbound.secureContext }),
  });
  return (options, callback) => {
    // A host that is an address itself is never looked up.
    const literal = options.hostname.replace(/^\[|\]$/g, '');
    const fault = isIP(literal) === 0 ? null : faultOf(literal);
    if (fault !== null) {
      callback(new AddressRefused(`is ${literal}, which ${fault}`), null);
      return;
    }
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    const proxy = outbound.proxyOf?.(literal, port) ?? null;
    if (proxy === null) {
      connect(options, callback);
      return;
    }
    const target = `${isIP(literal) === 6 ? `[${literal}]` : literal}:${port}`;
    throughProxy({ proxy, target, timeoutMs, outbound }, (error, tunnel) => {
      // What a proxy gives is a connection of this process, TCP or TLS.
      const socket = tunnel as Socket;
      if (error !== null) callback(error, null);
      else if (options.protocol === 'https:') connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };
}
