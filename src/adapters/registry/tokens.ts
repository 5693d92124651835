import type { Secret } from '../../base/index.ts';
import { RegistryError, type Credential } from '../../image/index.ts';
import type { Caller, HttpAnswer } from './call.ts';
import type { Challenge } from './challenge.ts';
import { isTokenHost, type Endpoint, type Hosts } from './hosts.ts';
import { MAX_TOKEN_ANSWER } from './limits.ts';
import { readJson } from './manifest.ts';

/** Token is an `Authorization` header, and the milliseconds for which it may be shown. */
export interface Token {
  readonly header: string;
  readonly lifeMs: number;
}

const CLIENT = 'ipo';
/** A token that says nothing of its end lives for a minute, by the specification of Docker's tokens. */
const UNSAID_S = 60;
const LONGEST_S = 3600;

/** TokenAsk is what a token is asked for. */
export interface TokenAsk {
  readonly endpoint: Endpoint;
  readonly challenge: Challenge;
  readonly credential: Credential | null;
  /** What is wanted; `pull` unless given. */
  readonly actions?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * fetchToken asks the token service that a registry names for the rights to one repository that are wanted, and no more. The credential is shown only
 * to the registry's own host, its domain, and hosts of its settings. No redirect is followed. Throws RegistryError.
 */
export async function fetchToken(ask: TokenAsk, caller: Caller, hosts: Hosts): Promise<Token> {
  const { endpoint, challenge, credential, actions = 'pull', signal } = ask;
  const { host, origin } = endpoint;
  const realm = realmOf(challenge, endpoint);
  const { tokenHosts, plainHttp } = hosts.reachOf(origin.host);
  if (realm.protocol === 'http:' && !(plainHttp && realm.hostname === origin.hostname) && credential !== null)
    throw new RegistryError(
      'credentials',
      `${host} asks for its credential over plain HTTP, at ${realm.host}`,
    );
  if (credential !== null && !isTokenHost(realm, endpoint, tokenHosts))
    throw new RegistryError(
      'credentials',
      `${host} asks for its credential at ${realm.host}, which is not of its domain`,
      {
        hint: `Where that is meant, name ${realm.host} among the tokenHosts of the registry ${host}`,
      },
    );
  const wanted = {
    service: challenge.parameters.get('service'),
    scope: scopeOf(challenge, endpoint, actions),
  };
  const answer =
    credential?.kind === 'identity_token'
      ? await caller.call({
          method: 'POST',
          url: realm,
          maxBytes: MAX_TOKEN_ANSWER,
          signal,
          headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
          body: String(
            new URLSearchParams({
              grant_type: 'refresh_token',
              client_id: CLIENT,
              scope: wanted.scope,
              ...(wanted.service !== undefined && { service: wanted.service }),
              refresh_token: credential.token.reveal(),
            }),
          ),
        })
      : await caller.call({
          method: 'GET',
          url: withQuery(realm, wanted),
          maxBytes: MAX_TOKEN_ANSWER,
          signal,
          headers: {
            accept: 'application/json',
            ...(credential?.kind === 'password' && { authorization: toBasic(credential) }),
          },
        });
  return toToken(answer, realm.host, host, credential);
}

/** toBasic writes a password as `Authorization` has it. */
export function toBasic({
  username,
  password,
}: {
  readonly username: string;
  readonly password: Secret;
}): string {
  return `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString('base64')}`;
}

/** isHeaderText tells whether a text can be sent in a header as it is. */
export function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function realmOf({ parameters }: Challenge, { host, origin }: Endpoint): URL {
  const text = parameters.get('realm') ?? '';
  const realm = URL.canParse(text, origin.href) ? new URL(text, origin) : null;
  if (
    text === '' ||
    realm === null ||
    !/^https?:$/.test(realm.protocol) ||
    realm.username !== '' ||
    realm.password !== ''
  )
    throw new RegistryError('unreadable', `${host} names no token service that can be called`);
  realm.hash = '';
  return realm;
}

/** Of what the registry asks for, what is wanted; never more, whatever it asks. */
function scopeOf({ parameters }: Challenge, { path }: Endpoint, actions: string): string {
  const scope = parameters.get('scope')?.slice(0, 1024) ?? '';
  const repository = /^repository(?:\([a-z0-9]+\))?:([^\s]+):[a-z*,]+$/i.exec(scope);
  if (repository !== null) return `repository:${repository[1]}:${actions}`;
  return scope === '' || /\s|:/.test(scope) ? `repository:${path}:${actions}` : scope;
}

function withQuery(realm: URL, { service, scope }: { service: string | undefined; scope: string }): URL {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', scope);
  return url;
}

function toToken(
  { status, bytes, headers }: HttpAnswer,
  realm: string,
  host: string,
  credential: Credential | null,
): Token {
  if (status === 429)
    throw new RegistryError('rate_limited', `${realm} gives no token now: it asks to slow down`, {
      remedy: 'slow_down',
      retryAfter: toSeconds(headers['retry-after'], headers['date']),
      busy: true,
    });
  if (status >= 500 || status === 408)
    throw new RegistryError('unavailable', `${realm} gives no token now (status ${status})`, {
      remedy: 'reach',
      retryAfter: toSeconds(headers['retry-after'], headers['date']),
      busy: status === 502 || status === 503 || status === 504,
    });
  if (status === 400 || status === 401 || status === 403 || status === 404) {
    const who = credential === null ? 'without a credential' : 'for the credential';
    throw new RegistryError('denied', `${realm} gives no token ${who} for ${host} (status ${status})`, {
      remedy: 'sign_in',
      hint: 'Give a credential that has the right to the repository',
    });
  }
  if (status !== 200)
    throw new RegistryError(
      'unreadable',
      `${realm} answers with status ${status} where a token was asked for`,
    );
  const value = readJson(bytes);
  const token = [value?.['token'], value?.['access_token']].find(
    (one) => typeof one === 'string' && one !== '',
  );
  if (typeof token !== 'string' || token.length > 65_536 || !isHeaderText(token))
    throw new RegistryError('unreadable', `${realm} answers without a token that can be used`, {
      remedy: 'look_between',
    });
  const said = value?.['expires_in'];
  const seconds =
    typeof said === 'number' && Number.isFinite(said) ? Math.min(Math.max(said, 0), LONGEST_S) : UNSAID_S;
  // A tenth before its end: clocks differ, and a call takes its time.
  return { header: `Bearer ${token}`, lifeMs: seconds * 900 };
}

/**
 * toSeconds reads `Retry-After` in seconds or as a date; undefined where it says nothing that can be read. At most a day. A date is
 * measured from the one of the answer, since the clocks of two machines differ.
 */
export function toSeconds(text: string | undefined, answered?: string): number | undefined {
  const said = text?.trim() ?? '';
  const from = Date.parse(answered ?? '');
  const now = Number.isNaN(from) ? Date.now() : from;
  const seconds = /^\d{1,9}$/.test(said) ? Number(said) : Math.ceil((Date.parse(said) - now) / 1000);
  return said === '' || Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), 86_400);
}
