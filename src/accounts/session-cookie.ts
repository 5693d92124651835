/** CookieRule says how the service is reached by browsers: by HTTPS (also through a proxy), or by plain HTTP on loopback. */
export interface CookieRule {
  readonly https: boolean;
}

/**
 * sessionCookieName is the cookie of a browser's session. `__Host-` binds it to this host and to HTTPS; a browser refuses that name on
 * plain HTTP, which is only for a laptop's loopback, so there it has none.
 */
export function sessionCookieName({ https }: CookieRule): string {
  return https ? '__Host-ipo_session' : 'ipo_session';
}

/** flowCookieName is the cookie that holds a sign-in by the identity provider together, for ten minutes. */
export function flowCookieName({ https }: CookieRule): string {
  return https ? '__Host-ipo_oidc' : 'ipo_oidc';
}

/** deviceCookieName is the cookie of a browser that somebody signed in from: strangers cannot lock that person out there. */
export function deviceCookieName({ https }: CookieRule): string {
  return https ? '__Host-ipo_device' : 'ipo_device';
}

/** setCookie writes a Set-Cookie header; `maxAge` in seconds, 0 takes the cookie away. Lax, since a sign-in comes back by a link. */
export function setCookie(name: string, value: string, maxAge: number, { https }: CookieRule): string {
  return `${name}=${value}; Path=/; Max-Age=${Math.max(0, Math.floor(maxAge))}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
}

/** cookieOf reads one cookie of a request; null when it is not there. Of several with one name the first counts. */
export function cookieOf(header: string | readonly string[] | undefined, name: string): string | null {
  if (typeof header !== 'string') return null;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}
