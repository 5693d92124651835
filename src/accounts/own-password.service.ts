import { AccountError, invalidField } from './account-error.ts';
import { actorOf, targetOf, type Account } from './account.ts';
import { checkPassword } from './password-rules.ts';
import type { AccountParts } from './parts.ts';
import type { Principal } from './principal.ts';
import { badCredentials, type Proofs } from './proofs.service.ts';
import type { Sessions, SignedIn } from './sessions.service.ts';
import type { Turns } from './turns.ts';

/** OwnPassword is how people set their own password. Either way every session and every token of theirs ends and a new session begins. */
export interface OwnPassword {
  /** Changes the password of who is signed in. Throws `forbidden`, `conflict`, `bad_credentials`, `invalid_request`, `locked_out`. */
  change(
    principal: Principal,
    change: {
      readonly current: string;
      readonly password: string;
      readonly address: string;
      readonly device?: string | null;
      readonly path: string;
    },
  ): Promise<SignedIn>;
  /** Sets a password with a one-time code. Throws `bad_credentials`, `invalid_request`, `locked_out`; a refused password leaves the code good. */
  withCode(set: {
    readonly code: string;
    readonly password: string;
    readonly address: string;
    readonly path: string;
  }): Promise<SignedIn>;
}

/** openOwnPassword joins it with its parts. */
export function openOwnPassword(
  parts: AccountParts,
  proofs: Proofs,
  sessions: Sessions,
  turns: Turns,
): OwnPassword {
  const { accounts, codes, tokens, audit, together, passwords, clock } = parts;
  return {
    async change(principal, { current, password, address, device = null, path }) {
      if (principal.via !== 'session')
        throw new AccountError('forbidden', 'a token cannot change a password', {
          hint: 'Sign in as the person',
        });
      const account = await accounts.find(principal.accountId);
      if (account?.email === undefined || account.email === null) throw badCredentials();
      if (account.passwordHash === null) {
        throw new AccountError(
          'conflict',
          'the account has no password; it signs in by the identity provider',
          {
            hint: 'An administrator can give a code that sets one',
          },
        );
      }
      checkPassword(password, account);
      if (password === current) throw invalidField('password', 'it is the one that you have');
      return proofs.withPassword(
        { email: account.email, password: current, address, device, path },
        async (proved) => {
          const passwordHash = await passwords.hash(password);
          return together(async () =>
            set(await proofs.confirm({ ...proved, renewed: null }), passwordHash, path),
          );
        },
      );
    },

    async withCode({ code, password, address, path }) {
      const found = await proofs.withCode(code, 'password', address);
      const account = found.accountId === null ? null : await accounts.find(found.accountId);
      if (account === null || account.disabledAt !== null) throw badCredentials();
      checkPassword(password, account);
      const passwordHash = await turns.take(account.id, () => passwords.hash(password));
      return together(async () => {
        const held = await accounts.hold({ id: account.id });
        if (held === null || held.disabledAt !== null || !(await codes.take(found.hash)))
          throw badCredentials();
        return set(held, passwordHash, path);
      });
    },
  };

  async function set(account: Account, passwordHash: string, path: string): Promise<SignedIn> {
    await accounts.update(account.id, { passwordHash });
    await parts.sessions.endAll(account.id);
    // Anyone who knew the old password could have made tokens with it.
    const revoked = await tokens.revokeAll(account.id, clock.now());
    const detail = { account_id: account.id, tokens_revoked: revoked };
    await audit.record({
      actor: actorOf(account),
      action: 'password_change',
      target: targetOf(account),
      path,
      detail,
    });
    return sessions.start({ ...account, passwordHash });
  }
}
