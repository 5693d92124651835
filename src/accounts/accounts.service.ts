import { openCodes } from './codes.service.ts';
import { openLife, type Life } from './life.service.ts';
import { FORGOTTEN_AFTER } from './lock-out.ts';
import { openOidcSignIn, type OidcSignIn } from './oidc-sign-in.service.ts';
import type { OidcRules } from './oidc.ts';
import { openOwnPassword, type OwnPassword } from './own-password.service.ts';
import type { AccountParts } from './parts.ts';
import type { Erasure, IdentityProvider } from './ports.ts';
import type { Principal } from './principal.ts';
import { openProofs } from './proofs.service.ts';
import { secretKind } from './secret.ts';
import { SESSION_IDLE } from './session.ts';
import { openSessions } from './sessions.service.ts';
import { openSetup, type Setup } from './setup.service.ts';
import { openSignIn, type SignIn } from './sign-in.service.ts';
import { TOKEN_KEPT } from './token.ts';
import { openTokens, type Tokens } from './tokens.service.ts';
import { openTurns } from './turns.ts';
import type { Account } from './account.ts';

/** Accounts is everything about who may do what. */
export interface Accounts {
  readonly signIn: SignIn;
  readonly ownPassword: OwnPassword;
  readonly setup: Setup;
  readonly life: Life;
  readonly tokens: Tokens;
  /** Null where no identity provider is configured. */
  readonly oidc: OidcSignIn | null;
  /** Who a secret proves: a session's through a cookie or as a bearer, a token's only as a bearer; null when it proves nobody. */
  principalOf(secret: string, via: 'cookie' | 'bearer'): Promise<Principal | null>;
  /** What a secret proves, with its account and its end in UTC milliseconds; null when it proves nobody. */
  whoIs(
    secret: string,
  ): Promise<{ readonly principal: Principal; readonly account: Account; readonly expiresAt: number } | null>;
  /** Deletes what had ended by a time in UTC milliseconds; a job calls it every few minutes. */
  sweep(at: number): Promise<void>;
  /** Takes out of the files what anonymising left there; a job calls it until it is done. */
  erase(): ReturnType<Erasure['attempt']>;
}

// Two at once leave half of Node's four threads to files and names, which admissions need; each takes 19 MiB for 50 ms.
const HASHES_AT_ONCE = 2;
const HASHES_WAITING = 256;

/** openAccounts joins the services of accounts. */
export function openAccounts(
  parts: AccountParts,
  oidc: { readonly provider: IdentityProvider; readonly rules: OidcRules } | null = null,
): Accounts {
  const turns = openTurns({ atOnce: HASHES_AT_ONCE, waiting: HASHES_WAITING });
  const sessions = openSessions(parts);
  const codes = openCodes(parts);
  const proofs = openProofs(parts, turns);
  const tokens = openTokens(parts);
  const whoIs: Accounts['whoIs'] = (secret) =>
    secretKind(secret) === 'token' ? tokens.find(secret) : sessions.find(secret);
  return {
    signIn: openSignIn(parts, proofs, sessions),
    ownPassword: openOwnPassword(parts, proofs, sessions, turns),
    setup: openSetup(parts, proofs, codes, sessions, turns),
    life: openLife(parts, codes, turns),
    tokens,
    oidc: oidc === null ? null : openOidcSignIn(parts, oidc.provider, oidc.rules, sessions, codes),
    whoIs,
    async principalOf(secret, via) {
      if (via === 'cookie' && secretKind(secret) !== 'session') return null;
      return (await whoIs(secret))?.principal ?? null;
    },
    erase: () => parts.erasure.attempt(),
    sweep: (now) =>
      parts.sweeper.sweep({
        now,
        idleSince: now - SESSION_IDLE,
        failuresBefore: now - FORGOTTEN_AFTER,
        tokensBefore: now - TOKEN_KEPT,
      }),
  };
}
