import type { Asked, Answering, FakeRegistry } from './fake-registry.ts';
import { fault, json } from './fake-registry.ts';
import { basic } from './open.ts';

/** TokenRules say whom a registry with tokens lets read. */
export interface TokenRules {
  /** User and password that get a token; null: everybody does. */
  readonly account: readonly [string, string] | null;
  /** Where tokens are given, in the words of the challenge; on the registry itself unless given. */
  readonly realm?: string;
  /** What the registry asks for; the repository's own pull unless given. */
  readonly scope?: string;
  /** Seconds that a token says it lives. */
  readonly expiresIn?: number | undefined;
}

/** TokenService is the state of one. */
export interface TokenService {
  /** Tokens given, by the number of each. */
  given: number;
  /** Tokens below this number are not taken any more. */
  valid: number;
  readonly asked: Asked[];
}

/** withTokens makes a fake registry ask for bearer tokens. */
export function withTokens(fake: FakeRegistry, rules: TokenRules): TokenService {
  const state: TokenService = { given: 0, valid: 1, asked: [] };
  fake.answering = tokenAnswering(fake, rules, state);
  return state;
}

function tokenAnswering(fake: FakeRegistry, rules: TokenRules, state: TokenService): Answering {
  return (asked, response) => {
    const { url, method, authorization, body } = asked;
    const at = new URL(url, fake.url);
    if (at.pathname === '/token') {
      state.asked.push(asked);
      const { account, expiresIn } = rules;
      const refreshed = new URLSearchParams(body).get('refresh_token') === 'refresh-me';
      if (account !== null && authorization !== basic(...account) && !refreshed) {
        fault(response, 401, 'UNAUTHORIZED');
        return true;
      }
      state.given += 1;
      json(response, {
        [method === 'POST' ? 'access_token' : 'token']: `token-${state.given}`,
        ...(expiresIn !== undefined && { expires_in: expiresIn }),
      });
      return true;
    }
    const number = Number(/^Bearer token-(\d+)$/.exec(authorization ?? '')?.[1] ?? 0);
    if (number >= state.valid && number <= state.given && number > 0) return false;
    const path = /^\/v2\/(.+?)\/(?:manifests|blobs|referrers)\//.exec(at.pathname)?.[1] ?? '';
    const { realm = `${fake.url}/token`, scope = `repository:${path}:pull` } = rules;
    response.setHeader('www-authenticate', `Bearer realm="${realm}",service="fake",scope="${scope}"`);
    fault(response, 401, 'UNAUTHORIZED', method);
    return true;
  };
}
