import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { openAddressCheck, type AddressRules } from './address.ts';

/** AddressRefused is thrown before a connection: the name resolves to an address that is never called. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** ConnectOptions say how connections are made. */
export interface ConnectOptions {
  readonly rules: AddressRules;
  /** Milliseconds until a connection stands. */
  readonly timeoutMs: number;
  /** Resolves names; the system's unless said. */
  readonly lookup?: LookupFunction | undefined;
}

/**
 * openConnector connects to checked addresses alone. The check judges the very addresses that the socket is then given, so a name
 * that resolves differently the next time gains nothing; one forbidden address among several refuses them all.
 */
export function openConnector({
  rules,
  timeoutMs,
  lookup = systemLookup as LookupFunction,
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
  });
  return (options, callback) => {
    // A host that is an address itself is never looked up.
    const literal = options.hostname.replace(/^\[|\]$/g, '');
    const fault = isIP(literal) === 0 ? null : faultOf(literal);
    if (fault !== null) {
      callback(new AddressRefused(`is ${literal}, which ${fault}`), null);
      return;
    }
    connect(options, callback);
  };
}
