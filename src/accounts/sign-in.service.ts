import { AccountError } from './account-error.ts';
import { actorOf, readEmail } from './account.ts';
import type { AccountParts } from './parts.ts';
import type { Principal } from './principal.ts';
import { badCredentials, type Attempt, type Proofs } from './proofs.service.ts';
import { sameDigest, secretHash } from './secret.ts';
import type { Sessions, SignedIn } from './sessions.service.ts';

/** SignIn begins and ends sessions. */
export interface SignIn {
  /** Signs in with e-mail address and password. Throws `bad_credentials`, `locked_out`, `unavailable`. */
  withPassword(attempt: Attempt): Promise<SignedIn>;
  /**
   * Finishes a sign-in at the command line with the code that the browser showed, and the verifier that only the command which
   * began it knows. Throws `bad_credentials`, `locked_out`.
   */
  withCode(attempt: {
    readonly code: string;
    readonly verifier: string;
    readonly address: string;
    readonly path: string;
  }): Promise<SignedIn>;
  /** Ends the session that a secret belongs to. Throws `conflict` for a token. */
  out(principal: Principal, secret: string, path: string): Promise<void>;
}

/** openSignIn joins signing in with its parts. */
export function openSignIn(parts: AccountParts, proofs: Proofs, sessions: Sessions): SignIn {
  const { accounts, codes, audit, together } = parts;
  return {
    async withPassword(attempt) {
      const email = kept(attempt.email);
      return proofs.withPassword({ ...attempt, email }, (proved) =>
        together(async () => {
          const signedIn = await sessions.start(await proofs.confirm(proved));
          await recordSignIn(audit, signedIn, attempt.path, 'password');
          return signedIn;
        }),
      );
    },

    async withCode({ code, verifier, address, path }) {
      const found = await proofs.withCode(code, 'sign_in', address);
      return together(async () => {
        const taken = await codes.take(found.hash);
        const account = found.accountId === null ? null : await accounts.hold({ id: found.accountId });
        if (!taken || account === null || account.disabledAt !== null) throw badCredentials();
        if (!sameDigest(secretHash(challengeOf(verifier)), secretHash(found.binding ?? ''))) {
          throw new AccountError(
            'bad_credentials',
            'the code belongs to a sign-in that another command began',
            {
              hint: 'Run ipo login --oidc again, and open the address that it prints',
            },
          );
        }
        const signedIn = await sessions.start(account);
        await recordSignIn(audit, signedIn, path, 'oidc_code');
        return signedIn;
      });
    },

    async out(principal, secret, path) {
      if (principal.via !== 'session') {
        throw new AccountError('conflict', 'a token is revoked, not signed out', {
          hint: 'Run ipo token revoke ID',
        });
      }
      await together(async () => {
        await sessions.end(secret);
        const detail = { account_id: principal.accountId };
        await audit.record({ actor: principal, action: 'sign_out', target: null, path, detail });
      });
    },
  };
}

/** challengeOf is what a command shows of its verifier when it begins a sign-in: base64url of its SHA-256. */
export function challengeOf(verifier: string): string {
  return secretHash(verifier).toString('base64url');
}

/** recordSignIn writes a sign-in down. */
export function recordSignIn(
  audit: AccountParts['audit'],
  { account }: SignedIn,
  path: string,
  by: 'password' | 'oidc' | 'oidc_code',
): Promise<void> {
  const actor = actorOf(account);
  return audit.record({
    actor,
    action: 'sign_in',
    target: null,
    path,
    detail: { account_id: account.id, by },
  });
}

/** A text that is not an address belongs to no account, and is told so as any other wrong one. */
function kept(email: string): string {
  try {
    return readEmail(email);
  } catch {
    return email.slice(0, 300).toLowerCase();
  }
}
