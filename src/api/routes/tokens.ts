import {
  shownName,
  tokenState,
  type Account,
  type Accounts,
  type Principal,
  type Token,
} from '../../accounts/index.ts';
import { formatTime, type Clock } from '../../base/index.ts';
import { problemSchema } from '../contract/problem.ts';
import {
  createdTokenSchema,
  newTokenBody,
  tokenPath,
  tokensQuery,
  tokensSchema,
  type CreatedTokenBody,
  type TokenBody,
} from '../contract/tokens.ts';
import { route, type Route } from '../route.ts';

/** TokensParts are what the routes of tokens act through; each act writes its own audit entry. */
export interface TokensParts {
  readonly accounts: Pick<Accounts, 'tokens'>;
  readonly clock: Clock;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;

/** tokensRoutes make, list and revoke API tokens for pipelines. */
export function tokensRoutes({ accounts: { tokens }, clock }: TokensParts): Route[] {
  return [
    route({
      key: 'GET /tokens',
      id: 'listTokens',
      tag: 'tokens',
      summary: 'List tokens, newest first, without their secrets',
      query: tokensQuery,
      answers: { 200: { description: 'The tokens', schema: tokensSchema } },
      handle: async ({ principal, query: { all, limit, offset } }) => {
        const page = { all: all === true, limit: limit ?? null, offset: offset ?? 0 };
        const { items, total } = await tokens.list(principal as Principal, page);
        return {
          body: { items: items.map(({ token, account }) => tokenBody(token, account, clock.now())), total },
        };
      },
    }),
    route({
      key: 'POST /tokens',
      id: 'createToken',
      tag: 'tokens',
      summary: 'Make a token for a pipeline',
      description: 'Its secret is told this once. A token cannot make tokens; sign in as a person.',
      body: newTokenBody,
      answers: {
        201: { description: 'The token with its secret', schema: createdTokenSchema },
        409: { ...PROBLEM, description: 'The account has as many tokens as it may' },
      },
      handle: async ({ principal, body: { name, role, days }, path }) => {
        const by = principal as Principal;
        const { token, secret } = await tokens.create(
          by,
          { name, role: role ?? null, days: days ?? null },
          path,
        );
        const owner = { id: by.accountId, name: by.name, email: null };
        const body: CreatedTokenBody = { ...tokenBody(token, owner, clock.now()), token: secret };
        return { status: 201, body };
      },
    }),
    route({
      key: 'DELETE /tokens/{id}',
      id: 'revokeToken',
      tag: 'tokens',
      summary: 'Revoke a token of your own; an administrator any',
      params: tokenPath,
      answers: { 204: { description: 'The token is revoked' } },
      handle: async ({ principal, params, path }) => {
        await tokens.revoke(principal as Principal, params.id, path);
        return { status: 204 };
      },
    }),
  ];
}

function tokenBody(token: Token, owner: Pick<Account, 'id' | 'name' | 'email'>, now: number): TokenBody {
  const { id, name, role, createdAt, expiresAt, usedAt, revokedAt } = token;
  return {
    id,
    name,
    role,
    state: tokenState(token, now),
    account: { id: owner.id, name: shownName(owner) },
    created_at: formatTime(createdAt),
    expires_at: formatTime(expiresAt),
    used_at: usedAt === null ? null : formatTime(usedAt),
    revoked_at: revokedAt === null ? null : formatTime(revokedAt),
  };
}
