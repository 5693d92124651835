import { repositoryBody, selfBody, type Addresses } from './github-bodies.ts';
import { GithubIssues, REPOSITORY } from './github-issues.ts';
import { GithubPlace } from './github-place.ts';
import type { Spent } from './limits.ts';
import type { Provider } from './provider.ts';
import { findToken, type FakeToken } from './tokens.ts';
import type { Call, Route, WireReply, WireRequest } from './wire.ts';
import type { World } from './world.ts';

/** GithubOptions are what a fake GitHub is made from. `enterprise` is a server of one's own, beneath `/api/v3`. */
export interface GithubOptions {
  readonly world: World;
  readonly tokens: readonly FakeToken[];
  readonly addresses: Addresses;
  readonly enterprise: boolean;
}

/** GithubProvider plays GitHub: repositories, issues, comments, and its way of refusing. */
export class GithubProvider implements Provider {
  readonly base: string;
  readonly routes: readonly Route[];
  readonly #place: GithubPlace;
  readonly #tokens: readonly FakeToken[];
  readonly #began: number;

  constructor({ world, tokens, addresses, enterprise }: GithubOptions) {
    this.#place = new GithubPlace(world, addresses, enterprise);
    this.base = this.#place.base;
    this.#tokens = tokens;
    this.#began = world.now();
    const repository = new RegExp(`^${REPOSITORY}$`);
    this.routes = [
      { act: 'self', method: 'GET', path: /^\/user$/, answer: (call) => this.#self(call) },
      { act: 'limits', method: 'GET', path: /^\/rate_limit$/, answer: () => this.#rateLimit() },
      { act: 'test', method: 'GET', path: repository, answer: (call) => this.#repository(call) },
      ...new GithubIssues(this.#place).routes(),
    ];
  }

  enter(request: WireRequest, violation: (text: string) => void): WireReply | null {
    if ((request.headers['user-agent'] ?? '') === '') {
      violation('no User-Agent');
      return {
        status: 403,
        body: 'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.\r\n',
      };
    }
    for (const name of ['access_token', 'token'])
      if (request.query.has(name)) violation('a token in the address');
    const accept = request.headers['accept'] ?? '*/*';
    if (!/json|\*\/\*/.test(accept)) {
      violation(`Accept is ${accept}`);
      return this.#place.error(415, "Unsupported 'Accept' header. Must accept 'application/json'.");
    }
    const version = request.headers['x-github-api-version'];
    if (version !== undefined && !['2022-11-28', '2026-03-10'].includes(version)) {
      violation(`X-GitHub-Api-Version is ${version}`);
      return this.#place.error(400, `Version ${version} is not supported.`);
    }
    return null;
  }

  who(request: WireRequest): FakeToken | WireReply {
    const [, secret] = /^(?:Bearer|token) (\S+)$/i.exec(request.headers['authorization'] ?? '') ?? [];
    if (secret === undefined) return this.#place.error(401, 'Requires authentication');
    const token = findToken(this.#tokens, secret);
    return token === undefined || token.state !== 'active'
      ? this.#place.error(401, 'Bad credentials')
      : token;
  }

  headers(token: FakeToken | null, spent: Spent | null): Record<string, string> {
    const headers: Record<string, string> = {
      'x-github-media-type': 'github.v3; format=json',
      'x-github-request-id': `FAKE:${this.#place.world.nextId().toString(16).toUpperCase()}`,
    };
    if (this.#place.enterprise) headers['x-github-enterprise-version'] = '3.19.0';
    if (token?.form === 'classic') headers['x-oauth-scopes'] = 'repo';
    // A server of one's own has its limits off unless the administrator turns them on.
    if (spent === null || this.#place.enterprise) return headers;
    return { ...headers, ...this.#spentHeaders(spent.limit, spent.used, spent.resetAt) };
  }

  fail(status: 400 | 404 | 415 | 500, text?: string): WireReply {
    const words = {
      400: 'Bad Request',
      404: 'Not Found',
      415: 'Unsupported Media Type',
      500: 'Server Error',
    };
    return this.#place.error(status, text ?? words[status]);
  }

  limited(over: 'primary' | 'secondary', retryAfter: string | null): WireReply {
    const retry = retryAfter === null ? {} : { 'retry-after': retryAfter };
    if (over === 'secondary') {
      const reply = this.#place.error(
        403,
        'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      );
      return { ...reply, headers: { ...retry, 'x-ratelimit-remaining': '4321' } };
    }
    const reset = this.#place.world.now() + 60_000;
    return {
      ...this.#place.error(429, 'API rate limit exceeded'),
      headers: { ...retry, ...this.#spentHeaders(5000, 5000, reset) },
    };
  }

  #spentHeaders(limit: number, used: number, resetAt: number): Record<string, string> {
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - used)),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
      'x-ratelimit-resource': 'core',
    };
  }

  #self(call: Call): WireReply {
    return { status: 200, body: selfBody(call.token.user, this.#place.addresses, this.#began) };
  }

  #rateLimit(): WireReply {
    const rate = {
      limit: 5000,
      used: 0,
      remaining: 5000,
      reset: Math.ceil(this.#place.world.now() / 1000) + 3600,
    };
    return {
      status: 200,
      body: { resources: { core: rate, search: { ...rate, limit: 30, remaining: 30 } }, rate },
    };
  }

  #repository(call: Call): WireReply {
    const at = this.#place.project(call);
    if ('status' in at) return at;
    const open = this.#place.world.issues.filter(
      (one) => one.project === at.project && one.state === 'open' && !one.deleted,
    );
    const body = repositoryBody(
      at.project,
      this.#place.addresses,
      this.#began,
      at.access === 'write',
      open.length,
    );
    return { status: 200, body };
  }
}
