import {
  cookieOf,
  AccountError,
  DEVICE_LIFE,
  deviceCookieName,
  makeDevice,
  MAX_DEVICE,
  flowCookieName,
  sessionCookieName,
  setCookie,
  type Accounts,
  type CookieRule,
  type OidcSignIn,
  type Principal,
  type SignedIn,
} from '../../accounts/index.ts';
import { formatTime, type Clock } from '../../base/index.ts';
import { problemSchema } from '../contract/problem.ts';
import {
  callbackQuery,
  changePasswordBody,
  oidcQuery,
  sessionSchema,
  setPasswordBody,
  signedInSchema,
  signInBody,
  type SessionBody,
  type SignedInBody,
} from '../contract/session.ts';
import { MAX_SIGN_IN_BODY } from '../limits.ts';
import { route, type Answered, type Route, type RouteAnswer } from '../route.ts';
import type { Headers } from '../sign-in.ts';
import { accountBody } from './accounts.ts';
import { signedInPage } from './sign-in-page.ts';

/** SessionParts are what the routes of sessions act through. */
export interface SessionParts {
  readonly accounts: Pick<Accounts, 'signIn' | 'ownPassword' | 'oidc' | 'whoIs'>;
  readonly cookie: CookieRule;
  readonly clock: Clock;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const COOKIE = { 'Set-Cookie': 'The session, for browsers' };
const SIGNED_IN: Answered = { description: 'A new session', schema: signedInSchema, headers: COOKIE };
const REFUSED: Answered = { ...PROBLEM, description: 'The sign-in is not proved; why is not told' };
const LOCKED: Answered = {
  ...PROBLEM,
  description: 'Too many failures of this account or from this address',
  headers: { 'Retry-After': 'Seconds until the next try' },
};

/** FLOW_SECONDS is how long a sign-in at the identity provider may take. */
const FLOW_SECONDS = 600;

/** sessionRoutes sign people in and out. */
export function sessionRoutes(parts: SessionParts): Route[] {
  return [...signInRoutes(parts), ...passwordRoutes(parts), ...oidcRoutes(parts)];
}

function signInRoutes({ accounts, cookie, clock }: SessionParts): Route[] {
  const { signIn } = accounts;
  return [
    route({
      key: 'POST /session',
      id: 'signIn',
      tag: 'session',
      summary: 'Sign in with e-mail address and password',
      description:
        'Browsers take the cookie, programs send `token` as bearer. Or finishes, with `code` and `verifier`, a sign-in that the ' +
        'command line began at the identity provider.',
      body: signInBody,
      maxBody: MAX_SIGN_IN_BODY,
      answers: { 200: SIGNED_IN, 401: REFUSED, 429: LOCKED },
      handle: async ({ body: { email = '', password = '', code, verifier = '', ...sent }, ...call }) => {
        const { address, path, headers } = call;
        const device = sent.device ?? deviceOf(headers, cookie);
        const signedIn =
          code === undefined
            ? await signIn.withPassword({ email, password, address, device, path })
            : await signIn.withCode({ code, verifier, address, path });
        return signedInAnswer(signedIn, cookie, clock.now(), 200);
      },
    }),
    route({
      key: 'GET /session',
      id: 'showSession',
      tag: 'session',
      summary: 'Show who makes this call',
      answers: { 200: { description: 'Account and role of the call', schema: sessionSchema } },
      handle: async ({ secret }) => {
        const found = await accounts.whoIs(secret ?? '');
        if (found === null) throw ended();
        const { principal, account, expiresAt } = found;
        const body: SessionBody = {
          account: accountBody(account),
          role: principal.role,
          via: principal.via,
          token_id: principal.tokenId,
          expires_at: formatTime(expiresAt),
        };
        return { body };
      },
    }),
    route({
      key: 'DELETE /session',
      id: 'signOut',
      tag: 'session',
      summary: 'Sign out',
      answers: {
        204: { description: 'The session has ended', headers: COOKIE },
        409: { ...PROBLEM, description: 'The call is made with a token, which is revoked instead' },
      },
      handle: async ({ principal, secret, path }) => {
        await signIn.out(principal as Principal, secret ?? '', path);
        return {
          status: 204,
          headers: { 'set-cookie': setCookie(sessionCookieName(cookie), '', 0, cookie) },
        };
      },
    }),
  ];
}

function passwordRoutes({ accounts: { ownPassword }, cookie, clock }: SessionParts): Route[] {
  const answer = (signedIn: SignedIn) => signedInAnswer(signedIn, cookie, clock.now(), 200);
  return [
    route({
      key: 'PUT /session/password',
      id: 'changePassword',
      tag: 'session',
      summary: 'Change your own password',
      description:
        'Every session of yours ends and your API tokens are revoked; the answer is a new session.',
      body: changePasswordBody,
      maxBody: MAX_SIGN_IN_BODY,
      answers: {
        200: SIGNED_IN,
        401: { ...PROBLEM, description: 'Nobody is signed in, or the current password is wrong' },
        409: { ...PROBLEM, description: 'The account has no password' },
        429: LOCKED,
      },
      handle: async ({ principal, body, address, path, headers }) => {
        const device = deviceOf(headers, cookie);
        return answer(await ownPassword.change(principal as Principal, { ...body, address, device, path }));
      },
    }),
    route({
      key: 'POST /session/password',
      id: 'setPassword',
      tag: 'session',
      summary: 'Set a password with a one-time code',
      description:
        'The code comes from an administrator. Every session of the account ends and its API tokens are revoked; the answer is a new session.',
      body: setPasswordBody,
      maxBody: MAX_SIGN_IN_BODY,
      answers: { 200: SIGNED_IN, 401: REFUSED, 429: LOCKED },
      handle: async ({ body, address, path }) =>
        answer(await ownPassword.withCode({ ...body, address, path })),
    }),
  ];
}

function oidcRoutes({ accounts, cookie, clock }: SessionParts): Route[] {
  return [
    route({
      key: 'GET /session/oidc',
      id: 'beginOidc',
      tag: 'session',
      summary: 'Begin a sign-in at the identity provider, in a browser',
      query: oidcQuery,
      answers: {
        302: {
          description: 'To the identity provider',
          headers: {
            Location: 'Address of the identity provider',
            'Set-Cookie': 'What the browser must bring back',
          },
        },
        404: { ...PROBLEM, description: 'No identity provider is configured' },
      },
      handle: async ({ query }) => {
        const { url, cookie: flow } = await oidcOf(accounts.oidc).begin(query.challenge ?? null);
        const headers = {
          location: url,
          'set-cookie': setCookie(flowCookieName(cookie), flow, FLOW_SECONDS, cookie),
        };
        return { status: 302, headers };
      },
    }),
    route({
      key: 'GET /session/oidc/callback',
      id: 'finishOidc',
      tag: 'session',
      summary: 'Take a browser back from the identity provider',
      query: callbackQuery,
      answers: {
        200: {
          description: 'A page: signed in, or the code for the command line',
          type: 'text/html; charset=utf-8',
          headers: COOKIE,
        },
        401: REFUSED,
        403: {
          ...PROBLEM,
          description: 'The person has no role here, no verified address, or a disabled account',
        },
        404: { ...PROBLEM, description: 'No identity provider is configured' },
        409: { ...PROBLEM, description: 'The address belongs to another identity' },
        429: { ...LOCKED, description: 'Too many failures from this address' },
      },
      handle: async ({ query, headers, address, path }) => {
        const flow = cookieOf(headers['cookie'], flowCookieName(cookie));
        const search = toSearch(query);
        const done = await oidcOf(accounts.oidc).finish({ query: search, cookie: flow, address, path });
        const { account, session, code } = done;
        const set =
          session === null
            ? setCookie(flowCookieName(cookie), '', 0, cookie)
            : sessionCookie(session, cookie, clock.now());
        const type = 'text/html; charset=utf-8';
        return { status: 200, body: signedInPage(account, code), type, headers: { 'set-cookie': set } };
      },
    }),
  ];
}

function deviceOf(headers: Headers, rule: CookieRule): string | null {
  return cookieOf(headers['cookie'], deviceCookieName(rule))?.slice(0, MAX_DEVICE) ?? null;
}

/** signedInAnswer answers with a new session, as a cookie and as a bearer. */
export function signedInAnswer(
  signedIn: SignedIn,
  rule: CookieRule,
  now: number,
  status: number,
): RouteAnswer {
  const { secret, account, expiresAt } = signedIn;
  const device = makeDevice(account, now);
  const body: SignedInBody = {
    token: secret,
    expires_at: formatTime(expiresAt),
    account: accountBody(account),
    device,
  };
  const cookies = [sessionCookie(signedIn, rule, now)];
  if (device !== null) cookies.push(setCookie(deviceCookieName(rule), device, DEVICE_LIFE / 1000, rule));
  return { status, body, headers: { 'set-cookie': cookies } };
}

function sessionCookie({ secret, expiresAt }: SignedIn, rule: CookieRule, now: number): string {
  return setCookie(sessionCookieName(rule), secret, (expiresAt - now) / 1000, rule);
}

/** What came is handed on whole, since the check must see what is there twice. */
function toSearch(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  return search.toString();
}

function oidcOf(oidc: OidcSignIn | null): OidcSignIn {
  if (oidc !== null) return oidc;
  throw new AccountError('not_found', 'no identity provider is configured', {
    hint: 'Sign in with e-mail address and password, or set oidc in the configuration',
  });
}

function ended(): AccountError {
  return new AccountError('unauthenticated', 'the sign-in has ended', { hint: 'Sign in again' });
}
