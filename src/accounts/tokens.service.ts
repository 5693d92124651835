import { DAY_MS } from '../base/index.ts';
import { AccountError, invalidField } from './account-error.ts';
import { readName, shownName, type Account } from './account.ts';
import { makeId, makeSecret } from './make-secret.service.ts';
import type { AccountParts } from './parts.ts';
import type { Page, Paged } from './ports.ts';
import { mayAct, ROLES, type Principal, type Role } from './principal.ts';
import { sameDigest, secretHash, secretKind } from './secret.ts';
import { USE_RECORDED_EVERY } from './session.ts';
import { MAX_TOKEN_DAYS, MAX_TOKENS, TOKEN_DAYS, TOKEN_KEPT, type Token } from './token.ts';

/** NewToken is what is asked for; role null is the least, days null the usual. */
export interface NewToken {
  readonly name: string;
  readonly role: Role | null;
  readonly days: number | null;
}

/** Tokens are API tokens for pipelines. */
export interface Tokens {
  /** Makes a token; its secret is given this once. Throws `forbidden`, `invalid_request`, `conflict`. */
  create(
    principal: Principal,
    wanted: NewToken,
    path: string,
  ): Promise<{ readonly token: Token; readonly secret: string }>;
  /** Lists a person's own tokens, or those of everybody, which is for administrators. Throws `forbidden`. */
  list(
    principal: Principal,
    page: Page & { readonly all: boolean },
  ): Promise<Paged<{ readonly token: Token; readonly account: Account }>>;
  /** Revokes a token of one's own, or as an administrator any. Throws `not_found`. One that was revoked stays so. */
  revoke(principal: Principal, id: string, path: string): Promise<void>;
  /** Who the secret of a token proves, and when it ends; null when it proves nobody. The store is asked each time. */
  find(
    secret: string,
  ): Promise<{ readonly principal: Principal; readonly account: Account; readonly expiresAt: number } | null>;
}

/** openTokens joins tokens with the store. */
export function openTokens(parts: AccountParts): Tokens {
  const { tokens, audit, together, clock } = parts;
  return {
    create: (principal, wanted, path) => createToken(parts, principal, wanted, path),

    async list(principal, { all, ...page }) {
      if (all && !mayAct(principal.role, 'administrator')) {
        throw new AccountError('forbidden', 'only administrators can list the tokens of all accounts', {
          hint: 'Leave out the parameter all to list your own tokens',
        });
      }
      return tokens.list(all ? null : principal.accountId, clock.now() - TOKEN_KEPT, page);
    },

    async revoke(principal, id, path) {
      await together(async () => {
        const token = await tokens.hold(id);
        const own = token?.accountId === principal.accountId;
        // Whose token it is, and whether there is one, is not told to others.
        if (token === null || (!own && !mayAct(principal.role, 'administrator')))
          throw new AccountError('not_found', `no token has the ID ${id}`, { hint: 'See ipo token list' });
        if (!(await tokens.revoke(id, clock.now()))) return;
        await audit.record({
          actor: principal,
          action: 'token_revoke',
          target: id,
          path,
          detail: { name: token.name },
        });
      });
    },

    find: (secret) => findToken(parts, secret),
  };
}

async function createToken(
  { accounts, tokens, audit, together, clock }: AccountParts,
  principal: Principal,
  { name, role, days }: NewToken,
  path: string,
): ReturnType<Tokens['create']> {
  if (principal.via !== 'session') {
    throw new AccountError('forbidden', 'a token cannot make tokens', {
      hint: 'Sign in as a user; otherwise a leaked token could give lasting access',
    });
  }
  const life = days ?? TOKEN_DAYS;
  if (!Number.isInteger(life) || life < 1 || life > MAX_TOKEN_DAYS)
    throw invalidField('days', `it must be between 1 and ${MAX_TOKEN_DAYS}`);
  const wanted = role ?? 'viewer';
  return together(async () => {
    const account = await accounts.hold({ id: principal.accountId });
    if (account === null || account.disabledAt !== null)
      throw new AccountError('forbidden', 'the account is disabled');
    if (!mayAct(account.role, wanted)) {
      throw new AccountError('forbidden', `a ${account.role} cannot make a token with the role ${wanted}`, {
        hint: `The highest is ${account.role}`,
      });
    }
    const now = clock.now();
    if ((await tokens.countActive(account.id, now)) >= MAX_TOKENS) {
      throw new AccountError('conflict', `the account has ${MAX_TOKENS} tokens, which is the most`, {
        hint: 'Revoke those that are not used: ipo token list, ipo token revoke ID',
      });
    }
    const secret = makeSecret('token');
    const token: Token = {
      id: makeId(),
      accountId: account.id,
      name: readName(name),
      role: wanted,
      createdAt: now,
      expiresAt: now + life * DAY_MS,
      usedAt: null,
      revokedAt: null,
    };
    await tokens.insert(token, secretHash(secret));
    const detail = { name: token.name, role: wanted, days: life };
    await audit.record({ actor: principal, action: 'token_create', target: token.id, path, detail });
    return { token, secret };
  });
}

async function findToken({ tokens, clock, log }: AccountParts, secret: string): ReturnType<Tokens['find']> {
  if (secretKind(secret) !== 'token') return null;
  const hash = secretHash(secret);
  const found = await tokens.find(hash);
  const now = clock.now();
  if (found === null || !sameDigest(found.hash, hash)) return null;
  const { token, account } = found;
  if (token.revokedAt !== null || now >= token.expiresAt || account.disabledAt !== null) return null;
  if (now - (token.usedAt ?? 0) >= USE_RECORDED_EVERY) {
    await tokens
      .used(token.id, now)
      .catch((error: unknown) => log.warn('use of a token not recorded', { error }));
  }
  const role = ROLES.find((each) => each === token.role || each === account.role) ?? 'viewer';
  return {
    principal: { accountId: account.id, name: shownName(account), role, via: 'token', tokenId: token.id },
    account,
    expiresAt: token.expiresAt,
  };
}
