import { IpoError, isLoopback, nearest } from '../../base/index.ts';

/**
 * parseServer reads the address of a service: `https://HOST[:PORT][/PATH]`. Plain HTTP is taken only for this machine, since a token
 * travels with every call. Gives the address without a slash at its end. Throws `usage`.
 */
export function parseServer(text: string): string {
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  } catch {
    throw wrong(text, 'is not a valid address', 'Write it as https://HOST or https://HOST:PORT');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    const meant = nearest(url.protocol.slice(0, -1), ['https', 'http']) ?? 'https';
    throw wrong(text, `has the scheme ${url.protocol.slice(0, -1)}`, `Write it as ${meant}://HOST`);
  }
  if (url.username !== '' || url.password !== '') {
    throw wrong(`${url.protocol}//…@${url.host}`, 'has a name or password in it', 'Leave them out');
  }
  if (url.search !== '' || url.hash !== '') throw wrong(text, 'has a query or a fragment', 'Leave it out');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw wrong(
      text,
      'is plain HTTP, and anyone on the network could read the token',
      `Use https://${url.host}; plain HTTP is allowed only for this machine`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

function wrong(text: string, what: string, hint: string): IpoError {
  return new IpoError('usage', `${text}: ${what}`, { hint });
}
