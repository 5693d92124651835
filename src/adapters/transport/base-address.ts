import { isIP } from 'node:net';
import { TrackerError } from '../../trackers/index.ts';
import { isLoopbackAddress, openAddressCheck, type AddressRules } from './address.ts';

const MAX_ADDRESS = 512;

/**
 * parseBase reads the address of a tracker's API. It takes only `https://host[:port][/path]`: nothing that a URL parser folds into another
 * host or path, no credentials, query or fragment; plain HTTP for this machine under `testLoopback`. A host that is an address is checked
 * here already. Throws TrackerError `address`.
 */
export function parseBase(text: string, rules: AddressRules): URL {
  const refuse = (why: string): never => {
    throw new TrackerError('address', `the address of the tracker ${why}`, {
      happened: 'no',
      hint: 'Write it as https://host, with the path of the API behind it where the tracker has one',
    });
  };
  if (text.length > MAX_ADDRESS) refuse(`has more than ${MAX_ADDRESS} characters`);
  if (!/^[!-~]+$/.test(text)) refuse('holds a blank, or a letter outside ASCII');
  const parts = /^(https?):\/\/([^/?#\\@]+)(\/[^?#\\]*)?$/i.exec(text);
  const [, scheme = '', authority = '', path = ''] =
    parts ?? refuse('is not https://host with a path at most');
  if (!URL.canParse(text)) refuse('cannot be read');
  const url = new URL(text);
  const host = url.hostname.replace(/\.$/, '');
  if (!isAsWritten(authority, url, host)) refuse(`names its host in a form that reads as ${url.hostname}`);
  if (/\/\.{1,2}(?:\/|$)|%2e|%2f|%5c|\/\//i.test(path))
    refuse('has a path with dots or escapes that lead elsewhere');
  const literal = bare(host);
  const fault = isIP(literal) === 0 ? null : openAddressCheck(rules)(literal);
  if (fault !== null) refuse(`names ${literal}, which ${fault}`);
  if (scheme.toLowerCase() === 'http') {
    const here = host === 'localhost' || isLoopbackAddress(literal);
    if (!rules.testLoopback || !here) refuse('is not https');
  }
  if (host === 'localhost' && !rules.testLoopback) refuse('names this machine itself');
  return new URL(url.href.replace(/\/+$/, ''));
}

function isAsWritten(authority: string, { hostname }: URL, host: string): boolean {
  if (host === '' || hostname.endsWith('.')) return false;
  return isIP(bare(host)) === 6 || authority.toLowerCase().replace(/:\d*$/, '') === hostname;
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
