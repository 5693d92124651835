import { BlockList, isIP } from 'node:net';

/** Exception tells whether a target is called without the proxy. The host is in lower case, an IPv6 address without brackets. */
export type Exception = (host: string, port: number) => boolean;

/**
 * readException reads one entry of a `NO_PROXY` list as programs in Go read it; null for an entry that cannot be read. `example.com`
 * also covers the names below it, `.example.com` and `*.example.com` only those. An address or a network covers only targets that are
 * written as an address: names are not resolved for it. A port limits an entry to that port. `*` covers everything.
 */
export function readException(text: string): Exception | null {
  const entry = text.trim().toLowerCase();
  if (entry === '*') return () => true;
  if (entry.includes('/') || isIP(entry) !== 0) return readNetwork(entry);
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const only = digits === undefined ? null : Number(digits);
  if (only !== null && (only < 1 || only > 65_535)) return null;
  const name = bracketed ?? plain ?? '';
  if (isIP(name) === 0 && bracketed !== undefined) return null;
  const covers = isIP(name) === 0 ? readName(name) : readNetwork(name);
  return covers === null ? null : (host, port) => (only === null || only === port) && covers(host, port);
}

function readName(text: string): Exception | null {
  const bare = text.replace(/^\*?\./, '').replace(/\.$/, '');
  if (
    bare.length > 253 ||
    !/^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?)*$/.test(bare)
  )
    return null;
  const isBelow = /^\*?\./.test(text);
  return (host) => (!isBelow && host === bare) || host.endsWith(`.${bare}`);
}

function readNetwork(text: string): Exception | null {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  const whole = version === 4 ? 32 : 128;
  if (version === 0 || more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
  const prefix = bits === undefined ? whole : Number(bits);
  if (prefix > whole) return null;
  const networks = new BlockList();
  networks.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  return (host) => isIP(host) !== 0 && networks.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}
