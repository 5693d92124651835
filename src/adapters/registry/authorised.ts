import { createHash } from 'node:crypto';
import { RegistryError, type Credential } from '../../image/index.ts';
import { ExpiringCache } from './cache.ts';
import type { Caller, HttpAnswer, HttpCall } from './call.ts';
import { parseChallenges, type Challenge } from './challenge.ts';
import type { Flights } from './flights.ts';
import type { Endpoint, Hosts } from './hosts.ts';
import { MAX_REDIRECTS } from './limits.ts';
import { fetchToken, isHeaderText, toBasic } from './tokens.ts';

/** ApiCall is a call to the API of a registry. */
export interface ApiCall {
  readonly endpoint: Endpoint;
  readonly method: HttpCall['method'];
  /** What follows `/v2/<name>/`, with its query; an address where the registry named one. */
  readonly rest: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: HttpCall['body'];
  /** What the token must allow; `pull` unless given. */
  readonly actions?: string | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly credential: Credential | null;
}

interface Known {
  readonly challenge: Challenge | null;
  readonly header: string;
  readonly until: number;
}

/** Authorised makes calls as an account: it shows what a registry asks for, and remembers what that was for as long as it holds. */
export class Authorised {
  readonly #caller: Caller;
  readonly #hosts: Hosts;
  readonly #flights: Flights;
  readonly #now: () => number;
  readonly #known: ExpiringCache<Known>;

  constructor(deps: { caller: Caller; hosts: Hosts; flights: Flights; monotonic: () => number }) {
    this.#caller = deps.caller;
    this.#hosts = deps.hosts;
    this.#flights = deps.flights;
    this.#now = deps.monotonic;
    this.#known = new ExpiringCache({ maxSize: 2000, monotonic: deps.monotonic });
  }

  /** Gives the answer, of whatever status but 401. Throws RegistryError. */
  async call(call: ApiCall): Promise<HttpAnswer> {
    const { endpoint, credential, rest } = call;
    const url = typeof rest === 'string' ? addressOf(endpoint, rest) : rest;
    const key = `${endpoint.origin.host} ${endpoint.path} ${fingerprintOf(credential)} ${call.actions ?? ''}`;
    let shown = await this.#shown(key, call);
    let answer = await this.#send(call, url, shown);
    if (answer.status === 401 && shown !== null) {
      // What was remembered may have ended early.
      this.#known.delete(key);
      shown = null;
      answer = await this.#send(call, url, null);
    }
    if (answer.status === 401) {
      const challenges = parseChallenges(answer.headers['www-authenticate'] ?? '');
      shown = await this.#answerTo(key, challenges, call);
      if (shown === null) throw denied(call);
      answer = await this.#send(call, url, shown);
    }
    if (answer.status !== 401) return answer;
    this.#known.delete(key);
    throw denied(call);
  }

  /** What was shown last and still holds; a token that has ended is renewed without asking the registry first. */
  async #shown(key: string, call: ApiCall): Promise<string | null> {
    const known = this.#known.get(key);
    if (known === undefined) return null;
    if (known.until > this.#now()) return known.header;
    return known.challenge === null ? null : this.#token(key, known.challenge, call);
  }

  async #answerTo(key: string, challenges: readonly Challenge[], call: ApiCall): Promise<string | null> {
    const { credential, endpoint } = call;
    const bearer = challenges.find(
      ({ scheme, parameters }) => scheme === 'bearer' && parameters.has('realm'),
    );
    if (credential?.kind === 'access_token') {
      const token = credential.token.reveal();
      if (!isHeaderText(token))
        throw new RegistryError('credentials', `the token for ${endpoint.host} cannot be sent as it is`);
      return this.#keep(key, null, `Bearer ${token}`, Number.POSITIVE_INFINITY);
    }
    if (bearer !== undefined) return this.#token(key, bearer, call);
    const takesBasic = challenges.some(({ scheme }) => scheme === 'basic');
    if (!takesBasic || credential?.kind !== 'password') return null;
    return this.#keep(key, null, toBasic(credential), Number.POSITIVE_INFINITY);
  }

  async #token(
    key: string,
    challenge: Challenge,
    { endpoint, credential, signal, actions }: ApiCall,
  ): Promise<string> {
    return this.#flights.join(`token ${key}`, signal, async (shared) => {
      const ask = { endpoint, challenge, credential, actions, signal: shared };
      const { header, lifeMs } = await fetchToken(ask, this.#caller, this.#hosts);
      return this.#keep(key, challenge, header, lifeMs);
    });
  }

  #keep(key: string, challenge: Challenge | null, header: string, lifeMs: number): string {
    this.#known.set(key, { challenge, header, until: this.#now() + lifeMs }, 1, Number.POSITIVE_INFINITY);
    return header;
  }

  /**
   * One call, and where it leads: what stands elsewhere is fetched from there without the credential. `303` leads to something else than
   * what was asked for (GitHub's registry leads to a web page by it), so it is an answer.
   */
  async #send(
    { method, headers, body, maxBytes, signal, endpoint }: ApiCall,
    first: URL,
    shown: string | null,
  ) {
    let url = first;
    for (let hop = 0; ; hop += 1) {
      const isOwn = url.origin === endpoint.origin.origin;
      const authorization = isOwn && shown !== null ? { authorization: shown } : {};
      const answer = await this.#caller.call({
        method,
        url,
        headers: { ...headers, ...authorization },
        body,
        maxBytes,
        signal,
      });
      const { status } = answer;
      if (!isOwn && status === 401)
        throw new RegistryError(
          'denied',
          `${url.host}, where ${endpoint.host} leads, needs a credential of its own`,
          { remedy: 'sign_in' },
        );
      const isElsewhere = status === 301 || status === 302 || status === 307 || status === 308;
      if (!isElsewhere) return answer;
      if (hop === MAX_REDIRECTS)
        throw new RegistryError('unreadable', `${endpoint.host} redirects more than ${MAX_REDIRECTS} times`);
      url = targetOf(url, answer, endpoint);
    }
  }
}

/** fingerprintOf tells credentials apart without holding them. */
export function fingerprintOf(credential: Credential | null): string {
  if (credential === null) return 'anonymous';
  const [name, secret] =
    credential.kind === 'password' ? [credential.username, credential.password] : ['', credential.token];
  return createHash('sha256')
    .update(JSON.stringify([credential.kind, name, secret.reveal()]))
    .digest('base64');
}

/** addressOf gives the address of a call to the API. */
export function addressOf({ origin, path, mirrorOf }: Endpoint, rest: string): URL {
  const url = new URL(`/v2/${path}/${rest}`, origin);
  // What a mirror of several registries needs to know, as containerd tells it.
  if (mirrorOf !== null) url.searchParams.set('ns', mirrorOf);
  return url;
}

/** targetOf gives the address that an answer leads to. Throws RegistryError for one that is not called. */
export function targetOf(from: URL, { headers }: HttpAnswer, { host }: Endpoint): URL {
  const text = headers['location'] ?? '';
  const to = text !== '' && URL.canParse(text, from.href) ? new URL(text, from) : null;
  if (to === null || !/^https?:$/.test(to.protocol) || to.username !== '' || to.password !== '')
    throw new RegistryError('unreadable', `${host} redirects to an address that cannot be called`);
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw new RegistryError(
      'refused',
      `${host} redirects from https to plain HTTP, at ${to.host}; it was not called`,
    );
  to.hash = '';
  return to;
}

function denied({ endpoint: { host, path }, credential, actions = 'pull' }: ApiCall): RegistryError {
  const what = credential === null ? 'wants a credential' : 'does not take the credential';
  const act = actions === 'pull' ? 'read' : 'change';
  return new RegistryError('denied', `${host} ${what} to ${act} ${path}`, {
    remedy: 'sign_in',
    hint: `Give a credential that may ${act} the repository; some registries say the same of a repository that is not there`,
  });
}
