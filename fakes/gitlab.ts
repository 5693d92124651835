import { projectBody, tokenBody, userBody } from './gitlab-bodies.ts';
import { GitlabIssues } from './gitlab-issues.ts';
import { GitlabLists } from './gitlab-lists.ts';
import { GitlabPlace } from './gitlab-place.ts';
import type { Spent } from './limits.ts';
import type { Provider } from './provider.ts';
import type { Access } from './state.ts';
import { findToken, type FakeToken } from './tokens.ts';
import type { Call, Route, WireReply, WireRequest } from './wire.ts';
import type { World } from './world.ts';

/** The number of the role: Guest and Reporter. */
const LEVEL: Readonly<Record<Access, number | null>> = { none: null, read: 10, report: 10, write: 20 };

/** GitlabOptions are what a fake GitLab is made from. `web` is its address, with the relative root if it has one. */
export interface GitlabOptions {
  readonly world: World;
  readonly tokens: readonly FakeToken[];
  readonly web: string;
  readonly root: string;
}

/** GitlabProvider plays GitLab: projects in nested groups, issues, notes, quick actions, and its ways of refusing. */
export class GitlabProvider implements Provider {
  readonly base: string;
  readonly routes: readonly Route[];
  readonly #place: GitlabPlace;
  readonly #tokens: readonly FakeToken[];
  readonly #began: number;

  constructor({ world, tokens, web, root }: GitlabOptions) {
    this.#place = new GitlabPlace(world, web, root);
    this.base = this.#place.base;
    this.#tokens = tokens;
    this.#began = world.now();
    const project = /^\/projects\/([^/]+)$/;
    const self = /^\/personal_access_tokens\/self$/;
    this.routes = [
      { act: 'self', method: 'GET', path: /^\/user$/, answer: (call) => this.#self(call) },
      { act: 'token', method: 'GET', path: self, answer: (call) => this.#token(call) },
      { act: 'server_info', method: 'GET', path: /^\/(?:version|metadata)$/, answer: () => this.#metadata() },
      {
        act: 'test',
        method: 'GET',
        path: project,
        query: ['license', 'statistics'],
        answer: (call) => this.#get(call),
      },
      ...new GitlabLists(this.#place).routes(),
      ...new GitlabIssues(this.#place).routes(),
    ];
  }

  enter(request: WireRequest, violation: (text: string) => void): WireReply | null {
    for (const name of ['private_token', 'access_token'])
      if (request.query.has(name)) violation('a token in the address');
    if (request.path.includes('%25')) violation('the path is encoded twice');
    return null;
  }

  who(request: WireRequest): FakeToken | WireReply {
    const [, bearer] = /^Bearer (\S+)$/i.exec(request.headers['authorization'] ?? '') ?? [];
    const secret = request.headers['private-token'] ?? bearer;
    if (secret === undefined) return { status: 401, body: { message: '401 Unauthorized' } };
    const token = findToken(this.#tokens, secret);
    if (token === undefined) return { status: 401, body: { message: '401 Unauthorized' } };
    if (token.state === 'active') return token;
    const text =
      token.state === 'expired'
        ? 'Token is expired. You can either do re-authorization or token refresh.'
        : 'Token was revoked. You have to re-authorize from the user.';
    return { status: 401, body: { error: 'invalid_token', error_description: text } };
  }

  headers(_token: FakeToken | null, spent: Spent | null): Record<string, string> {
    const headers = {
      'x-request-id': `FAKE${this.#place.world.nextId()}`,
      'x-gitlab-meta': '{"version":"1"}',
    };
    if (spent === null) return headers;
    const { limit, used, resetAt } = spent;
    return {
      ...headers,
      'ratelimit-limit': String(limit),
      'ratelimit-name': 'throttle_authenticated_api',
      'ratelimit-observed': String(used),
      'ratelimit-remaining': String(Math.max(0, limit - used)),
      'ratelimit-reset': String(Math.ceil(resetAt / 1000)),
    };
  }

  fail(status: 400 | 404 | 415 | 500, text?: string): WireReply {
    if (status === 404) return { status, body: { error: '404 Not Found' } };
    if (status === 415) return { status, body: { error: 'The provided content-type is not supported.' } };
    return {
      status,
      body: { message: text ?? `${status} ${status === 500 ? 'Internal Server Error' : 'Bad Request'}` },
    };
  }

  limited(over: 'primary' | 'secondary', retryAfter: string | null): WireReply {
    const retry = retryAfter === null ? {} : { 'retry-after': retryAfter };
    if (over === 'primary') return { status: 429, headers: retry, body: 'Retry later\n' };
    // The limits of single actions do not show in the headers, and their body is JSON.
    const body = { message: { error: 'This endpoint has been requested too many times. Try again later.' } };
    return { status: 429, headers: retry, body };
  }

  #self(call: Call): WireReply {
    const { user } = call.token;
    return {
      status: 200,
      body: { ...userBody(user, this.#place.web), bot: user.bot, email: user.email, is_admin: false },
    };
  }

  #token(call: Call): WireReply {
    return { status: 200, body: tokenBody(call.token, this.#place.world.now()) };
  }

  #metadata(): WireReply {
    const kas = { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null };
    return { status: 200, body: { version: '18.5.0', revision: 'fa4e5f00d0', kas, enterprise: false } };
  }

  #get(call: Call): WireReply {
    const at = this.#place.project(call, false);
    if ('status' in at) return at;
    const open = this.#place.world.issues.filter(
      (one) => one.project === at.project && one.state === 'open' && !one.deleted,
    );
    return {
      status: 200,
      body: projectBody(at.project, this.#place.web, this.#began, LEVEL[at.access], open.length),
    };
  }
}
