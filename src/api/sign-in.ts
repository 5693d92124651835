import { ACCESS, mayAct, type Principal, type RouteKey } from '../accounts/index.ts';
import { IpoError } from '../base/index.ts';

/** Headers are those of a request: lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** SignIn is what the frame asks of accounts: who a secret belongs to, and whether a browser's request is our own site's. */
export interface SignIn {
  /** Names of the session's cookie; the first that a request carries is taken. */
  readonly cookies: readonly string[];
  /** Gives who the secret belongs to; null when it is unknown, has ended, or its account is disabled. */
  principalOf(secret: string, via: 'cookie' | 'bearer'): Promise<Principal | null>;
  /**
   * Holds a request that no bearer signs in to have come from no other site; `cookie` says whether a cookie does. Throws
   * `forbidden`.
   */
  holdOrigin(request: { readonly method: string; readonly headers: Headers; readonly cookie: boolean }): void;
}

/** Credential is the secret that a request came with. */
export interface Credential {
  readonly secret: string;
  readonly via: 'cookie' | 'bearer';
}

/** MAX_SECRET is how many characters a secret may have; none of ours has more. */
const MAX_SECRET = 512;

/** credentialOf takes the bearer of a request, else its session cookie. Throws `unauthenticated` for another scheme. */
function credentialOf(headers: Headers, cookies: readonly string[]): Credential | null {
  const { authorization, cookie } = headers;
  if (typeof authorization === 'string' && authorization !== '') {
    const [, secret] = /^Bearer +([!-~]+) *$/i.exec(authorization) ?? [];
    if (secret === undefined || secret.length > MAX_SECRET) {
      throw new IpoError('unauthenticated', 'the Authorization header is not a bearer token', {
        hint: 'Send `Authorization: Bearer TOKEN`',
      });
    }
    return { secret, via: 'bearer' };
  }
  if (typeof cookie !== 'string') return null;
  const sent = new Map<string, string>();
  for (const pair of cookie.split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at > 0 && !sent.has(name)) sent.set(name, pair.slice(at + 1).trim());
  }
  for (const name of cookies) {
    const secret = sent.get(name);
    if (secret !== undefined && secret !== '' && secret.length <= MAX_SECRET)
      return { secret, via: 'cookie' };
  }
  return null;
}

/** Admitted is who makes a request, and with what. */
export interface Admitted {
  readonly principal: Principal | null;
  readonly secret: string | null;
}

/**
 * admit lets a request through to a route as the table of access says, before anything of its body is read. Throws
 * `unauthenticated`, `forbidden`. A route that is open to everybody takes a secret that proves nothing as none.
 */
export async function admit(
  key: RouteKey,
  request: { readonly method: string; readonly headers: Headers },
  signIn: SignIn,
): Promise<Admitted> {
  const needed = ACCESS[key];
  const credential = credentialOf(request.headers, signIn.cookies);
  const { method, headers } = request;
  if (credential?.via !== 'bearer') signIn.holdOrigin({ method, headers, cookie: credential !== null });
  if (credential === null) {
    if (needed === 'anonymous') return { principal: null, secret: null };
    throw new IpoError('unauthenticated', 'this call needs a sign-in', {
      hint: 'Sign in with `ipo login SERVER`, or send `Authorization: Bearer TOKEN`',
    });
  }
  const { secret, via } = credential;
  const principal = await signIn.principalOf(secret, via);
  if (needed === 'anonymous') return { principal, secret };
  if (principal === null) {
    throw new IpoError('unauthenticated', 'the session or token is not known, or has ended', {
      hint: 'Sign in again with `ipo login SERVER`, or use another token',
    });
  }
  if (!mayAct(principal.role, needed)) {
    throw new IpoError('forbidden', `this call needs the role ${needed}; this is a ${principal.role}`, {
      hint: `Ask an administrator for the role ${needed}`,
    });
  }
  return { principal, secret };
}
