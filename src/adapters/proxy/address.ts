import { Secret } from '../../base/index.ts';

/** Proxy is an HTTP proxy that opens tunnels with CONNECT. */
export interface Proxy {
  /** `http://proxy.example.com:3128`, without user name and password. */
  readonly origin: string;
  /** `proxy.example.com:3128`, for messages. */
  readonly name: string;
  /** Value of `Proxy-Authorization`; null for a proxy that asks for none. */
  readonly authorization: Secret | null;
}

/** readProxy reads the address of a proxy. The fault never repeats the address, since it may contain a password. */
export function readProxy(text: string): { readonly proxy: Proxy } | { readonly fault: string } {
  const url = /^https?:\/\/[^/\\]/i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null)
    return {
      fault: 'must be http://HOST:PORT or https://HOST:PORT; encode special characters of a password',
    };
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return {
      fault: 'must have nothing after the port; write /, ? and # of a password as %2F, %3F and %23',
    };
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === null || password === null)
    return { fault: 'has a % in its user name or password that encodes nothing; write it as %25' };
  const isNamed = user !== '' || password !== '';
  const basic = Buffer.from(`${user}:${password}`, 'utf8').toString('base64');
  return {
    proxy: {
      origin: url.origin,
      name: url.port === '' ? `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}` : url.host,
      authorization: isNamed ? new Secret(`Basic ${basic}`) : null,
    },
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
