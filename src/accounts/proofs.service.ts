import { AccountError } from './account-error.ts';
import type { Account } from './account.ts';
import { accountKey, addressKey, afterFailure, afterSuccess, secondsBlocked } from './lock-out.ts';
import { isTooLong } from './password-rules.ts';
import type { AccountParts } from './parts.ts';
import type { OneTimeCode } from './ports.ts';
import { readCode, sameDigest, secretHash } from './secret.ts';
import type { Turns } from './turns.ts';

/** Attempt is somebody's claim to be an account. */
export interface Attempt {
  /** As it is kept: lower case. */
  readonly email: string;
  readonly password: string;
  /** Of the client. */
  readonly address: string;
  readonly path: string;
}

/** Proved is an account whose password was right a moment ago. */
export interface Proved {
  readonly account: Account;
  /** The password's hash made anew, where the old one is outdated. */
  readonly renewed: string | null;
  /** Under which failures of the client are counted. */
  readonly client: string;
}

/** Proofs hold people to what they claim, and count what fails. */
export interface Proofs {
  /**
   * Checks a password and goes on with `then`, still in the account's turn. An unknown account costs the same work and gives
   * the same answer as a wrong password. Throws `locked_out`, `bad_credentials`, `unavailable`.
   */
  withPassword<T>(attempt: Attempt, then: (proved: Proved) => Promise<T>): Promise<T>;
  /**
   * Gives a proved account as it stands now, held until the transaction ends, its failures forgotten; only inside `Together`.
   * Throws `bad_credentials` when it was disabled or its password changed since.
   */
  confirm(proved: Proved): Promise<Account>;
  /** Finds a one-time code that still works. Throws `locked_out`, `bad_credentials`. It is not used up by this. */
  withCode(text: string, purpose: OneTimeCode['purpose'], address: string): Promise<OneTimeCode>;
}

/** badCredentials says that a sign-in failed, and never why. */
export function badCredentials(): AccountError {
  return new AccountError(
    'bad_credentials',
    'the e-mail address or the password is wrong, or the account is disabled',
    {
      hint: 'Try again; an administrator can give a code that sets a new password',
    },
  );
}

/** openProofs joins the checks with the store. */
export function openProofs(parts: AccountParts, turns: Turns): Proofs {
  const { accounts, failures, codes, audit, together, passwords, clock } = parts;
  return {
    async withPassword({ email, password, address, path }, then) {
      if (isTooLong(password)) throw badCredentials();
      const keys = [accountKey(email), addressKey(address)] as const;
      await holdUnblocked(keys); // without waiting for a turn: guesses during a block must not take the turns of others
      return turns.take(keys[0], async () => {
        // Counted before the hash and forgotten after a success, so that guesses at once are no more than guesses in a row.
        const { before, after } = await failures.change(keys[0], (before) =>
          secondsBlocked(before, clock.now()) > 0 ? before : afterFailure(before, clock.now()),
        );
        if (before === after) throw lockedOut(secondsBlocked(before, clock.now()));
        await holdUnblocked([keys[1]]);
        const account = await accounts.findByEmail(email);
        const { ok, outdated } = await passwords.verify(password, account?.passwordHash ?? null);
        if (account === null || !ok || account.disabledAt !== null) {
          await together(async () => {
            await failures.change(keys[1], (before) => afterFailure(before, clock.now()));
            const reason = account === null ? 'unknown_account' : ok ? 'disabled' : 'password';
            const blocked = secondsBlocked(after, clock.now());
            await audit.record({
              actor: null,
              action: 'sign_in_failed',
              // What was typed may be a password; only the address of an account is written down.
              target: account?.email ?? null,
              path,
              detail: {
                reason,
                address,
                ...(account !== null && { account_id: account.id }),
                ...(blocked > 0 && { blocked_seconds: blocked }),
              },
            });
          });
          throw badCredentials();
        }
        return then({ account, client: keys[1], renewed: outdated ? await passwords.hash(password) : null });
      });
    },

    async confirm({ account, renewed, client }) {
      const held = await accounts.hold({ id: account.id });
      if (held === null || held.disabledAt !== null || held.passwordHash !== account.passwordHash)
        throw badCredentials();
      if (held.email !== null) await failures.clear(accountKey(held.email));
      await failures.change(client, afterSuccess);
      if (renewed === null) return held;
      await accounts.update(held.id, { passwordHash: renewed });
      return { ...held, passwordHash: renewed };
    },

    async withCode(text, purpose, address) {
      const key = addressKey(address);
      await holdUnblocked([key]);
      const read = readCode(text);
      const hash = read === null ? null : secretHash(read);
      const code = hash === null ? null : await codes.find(hash);
      if (
        hash !== null &&
        code !== null &&
        sameDigest(code.hash, hash) &&
        code.purpose === purpose &&
        clock.now() < code.expiresAt
      )
        return code;
      await failures.change(key, (before) => afterFailure(before, clock.now()));
      throw new AccountError('bad_credentials', 'the code is wrong, was used already, or has ended', {
        hint: 'Check it, or ask for a new one',
      });
    },
  };

  async function holdUnblocked(keys: readonly string[]): Promise<void> {
    const now = clock.now();
    const wait = Math.max(...(await failures.read(keys)).map((kept) => secondsBlocked(kept, now)));
    if (wait > 0) throw lockedOut(wait);
  }
}

/** lockedOut says when the next try is possible. */
export function lockedOut(
  seconds: number,
  hint = 'API tokens, open sessions and the identity provider are not affected',
): AccountError {
  const wait = seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return new AccountError('locked_out', `too many failed sign-ins; the next try is possible in ${wait}`, {
    hint,
    retryAfter: seconds,
  });
}
