import type { JiraPlace } from './jira-place.ts';
import type { Spent } from './limits.ts';
import { findToken, type FakeToken } from './tokens.ts';
import type { WireReply, WireRequest } from './wire.ts';

/** JiraForm is the address that is played: Cloud's site, Cloud's gateway, or Data Center. */
export type JiraForm = 'site' | 'gateway' | 'datacenter';

/** JiraAccess says who calls and how much: each of the three forms refuses in its own way. */
export class JiraAccess {
  readonly #place: JiraPlace;
  readonly #tokens: readonly FakeToken[];
  readonly #form: JiraForm;

  constructor(place: JiraPlace, tokens: readonly FakeToken[], form: JiraForm) {
    this.#place = place;
    this.#tokens = tokens;
    this.#form = form;
  }

  /** enter is the rule of the proxy before everything: no forged requests of a browser. */
  enter(request: WireRequest, violation: (text: string) => void): WireReply | null {
    const agent = request.headers['user-agent'] ?? '';
    if (agent === '') violation('no User-Agent');
    const browser = /\b(?:Mozilla|Opera)\b/.test(agent);
    const checked = request.headers['x-atlassian-token'] === 'no-check';
    if (this.#form === 'datacenter' && request.method !== 'GET' && browser && !checked) {
      violation('a browser-like User-Agent without X-Atlassian-Token');
      return { status: 403, body: 'XSRF check failed' };
    }
    return null;
  }

  /** who finds the account of a request, by the rules of the address. */
  who(request: WireRequest): FakeToken | WireReply {
    const header = request.headers['authorization'] ?? '';
    const token = this.#place.addresses.cloud
      ? this.#basic(header)
      : findToken(this.#tokens, header.replace(/^Bearer /, ''));
    const fits =
      this.#form === 'datacenter' || token?.form === (this.#form === 'gateway' ? 'scoped' : 'classic');
    if (
      token === undefined ||
      token.state !== 'active' ||
      !fits ||
      (!this.#place.addresses.cloud && !/^Bearer \S/.test(header))
    ) {
      return this.#unauthorized(header !== '');
    }
    const write = request.method !== 'GET' && !/\/search(?:\/jql)?$/.test(request.path);
    if (this.#form === 'gateway' && write && !token.scopes.includes('write:jira-work')) {
      return { status: 401, body: { code: 401, message: 'Unauthorized; scope does not match' } };
    }
    return token;
  }

  #basic(header: string): FakeToken | undefined {
    const [, packed] = /^Basic (\S+)$/.exec(header) ?? [];
    if (packed === undefined) return undefined;
    const pair = Buffer.from(packed, 'base64').toString();
    const at = pair.indexOf(':');
    return at === -1 ? undefined : findToken(this.#tokens, pair.slice(at + 1), pair.slice(0, at));
  }

  #unauthorized(tried: boolean): WireReply {
    if (this.#form === 'gateway') return { status: 401, body: { code: 401, message: 'Unauthorized' } };
    const headers: Record<string, string> = tried ? { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' } : {};
    if (this.#form === 'site') {
      return { status: 401, headers, body: 'Client must be authenticated to access this resource.' };
    }
    const message = 'Client must be authenticated to access this resource.';
    return {
      status: 401,
      headers: { ...headers, 'www-authenticate': 'OAuth realm="jira"' },
      body: { message, 'status-code': 401 },
    };
  }

  /** headers stand on every answer. */
  headers(token: FakeToken | null, spent: Spent | null): Record<string, string> {
    const headers: Record<string, string> = { 'x-arequestid': `FAKE${this.#place.world.nextId()}` };
    if (token === null || spent === null) return headers;
    const left = Math.max(0, spent.limit - spent.used);
    if (this.#place.addresses.cloud) {
      const reset = new Date(spent.resetAt).toISOString();
      return {
        ...headers,
        'x-ratelimit-limit': String(spent.limit),
        'x-ratelimit-remaining': String(left),
        'x-ratelimit-reset': reset,
      };
    }
    return {
      ...headers,
      'x-ausername': token.user.login,
      'x-ratelimit-limit': String(spent.limit),
      'x-ratelimit-remaining': String(left),
      'x-ratelimit-interval-seconds': '3600',
      'x-ratelimit-fillrate': String(spent.limit),
      'retry-after': '0',
    };
  }

  /** fail is an error in Jira's words. */
  fail(status: 400 | 404 | 415 | 500, text?: string): WireReply {
    if (status === 404) return { status, body: { message: 'null for uri', 'status-code': 404 } };
    if (status === 415) return { status, body: 'Unsupported Media Type' };
    return this.#place.refuse(status, [
      text ??
        (status === 500
          ? 'Internal server error'
          : 'Invalid request payload. Refer to the REST API documentation and try again.'),
    ]);
  }

  /** limited is the refusal of one who asks too much. */
  limited(over: 'primary' | 'secondary', retryAfter: string | null): WireReply {
    const retry = retryAfter === null ? {} : { 'retry-after': retryAfter };
    const reason = over === 'primary' ? 'jira-burst-based' : 'jira-per-issue-on-write';
    const headers = {
      ...retry,
      'x-ratelimit-remaining': '0',
      'x-ratelimit-nearlimit': 'true',
      'ratelimit-reason': reason,
    };
    return { status: 429, headers, body: { errorMessages: ['Rate limit exceeded.'], errors: {} } };
  }
}
