import { isIP } from 'node:net';
import { isLoopback } from '../base/index.ts';
import { isForbiddenAddress } from './forbidden-address.ts';
import type { ChannelRules } from './rules.ts';

/** Said is what is wrong with a text, or what it says once read. */
export type Said<T> = { readonly fault: string } | { readonly value: T };

/** MAX_URL is how long an address may be, in characters. */
const MAX_URL = 2048;

const NAME = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/;
const OWN_NAMES = /(^|\.)(localhost|localdomain)$|^ip6-(localhost|loopback)$/;

/**
 * readOutboundUrl reads an address that the service will call with a credential. It must be written as it is meant: whatever a
 * browser would quietly turn into something else (another base of numbers, full-width digits, a default port, `..`, a backslash)
 * is refused. What a name resolves to is checked again when a connection is made.
 */
export function readOutboundUrl(text: string, rules: ChannelRules): Said<URL> {
  if (text.length > MAX_URL) return { fault: `has more than ${MAX_URL} characters` };
  if (/^\s*$|\S\s+\S/.test(text)) return { fault: 'must be an address such as https://example.com' };
  if (!/^[!-~]+$/.test(text)) {
    return {
      fault:
        'may contain only ASCII letters, digits and punctuation; write a name with other letters as xn--…',
    };
  }
  if (!/^https?:\/\/[^/\\]/i.test(text) || !URL.canParse(text))
    return { fault: 'must be an address such as https://example.com' };
  const url = new URL(text);
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return { fault: 'must not carry a name or a password' };
  const written = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
  if (written.toLowerCase() !== url.host) return { fault: `must be written as ${url.protocol}//${url.host}` };
  const { hostname } = url;
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 0 && (hostname.length > 253 || !NAME.test(hostname)))
    return { fault: 'has a host name that is not valid' };
  const isSelf = isLoopback(hostname) || OWN_NAMES.test(hostname);
  if (!(isSelf && rules.testLoopback)) {
    if (url.protocol !== 'https:') return { fault: 'must begin with https://' };
    if (isSelf || isForbiddenAddress(bare))
      return {
        fault: `must not lead to ${bare}: loopback and link-local addresses are not allowed for trackers`,
      };
  }
  const fault = hostFault(hostname, rules.allowedHosts);
  if (fault !== null) return { fault };
  return { value: url };
}

/** FormFault tells what is wrong with an address by the form of its provider, or null. */
export type FormFault = (host: string, path: string) => string | null;

/** readApiUrl reads the address of an API likewise, and gives it without a slash at its end. */
export function readApiUrl(text: string, formFault: FormFault, rules: ChannelRules): Said<string> {
  const read = readOutboundUrl(text, rules);
  if ('fault' in read) return read;
  const { value: url } = read;
  if (/[?#]/.test(text)) return { fault: 'must end with its path, without ? and #' };
  const written = text.replace(/^[^/]*\/\/[^/]*/, '').replace(/\/$/, '');
  const path = url.pathname.replace(/\/$/, '');
  if (written !== path || !/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/.test(path))
    return { fault: 'has a path that is none of an API' };
  const fault = formFault(url.hostname, path);
  return fault === null ? { value: `${url.origin}${path}` } : { fault };
}

/** hostOfSettings gives the host that the stored settings of a channel name; null for mail, which has no address, and for what cannot be read. */
export function hostOfSettings(settings: unknown): string | null {
  if (settings === null || typeof settings !== 'object') return null;
  const { apiBaseUrl, webhookUrl } = settings as Readonly<Record<string, unknown>>;
  const address = apiBaseUrl ?? webhookUrl;
  return typeof address === 'string' ? (URL.parse(address)?.hostname ?? null) : null;
}

/** hostFault tells that `trackers.allowedHosts` leaves a host out, in a sentence that follows the name of the address; null where it does not. */
export function hostFault(hostname: string, allowed: readonly string[]): string | null {
  if (isAllowed(hostname, allowed)) return null;
  return `leads to ${hostname}, which trackers.allowedHosts does not allow`;
}

function isAllowed(hostname: string, allowed: readonly string[]): boolean {
  return (
    allowed.length === 0 ||
    allowed.some((name) => {
      const host = name.toLowerCase();
      return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
    })
  );
}
