import { isWaiting } from '../base/index.ts';
import { AccountError } from './account-error.ts';
import type { Account } from './account.ts';
import { deviceKey } from './device.ts';
import {
  accountKey,
  addressKey,
  afterFailure,
  afterSuccess,
  FORGOTTEN_AFTER,
  freeOf,
  isShared,
  NO_FAILURES,
  secondsBlocked,
  type Failures,
} from './lock-out.ts';
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
  /** Of the client; with SHARED before it where only a proxy is known. */
  readonly address: string;
  /** The mark of a device that an earlier sign-in gave, or null. */
  readonly device?: string | null;
  readonly path: string;
}

/** Proved is an account whose password was right a moment ago. */
export interface Proved {
  readonly account: Account;
  /** A new hash of the password, where the old one is outdated. */
  readonly renewed: string | null;
  /** Under which failures of this account are counted: of a known device its own. */
  readonly key: string;
  /** Under which failures of the client are counted; null from a known device. */
  readonly client: string | null;
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
  const { accounts, failures, codes, passwords, clock } = parts;
  return {
    async withPassword(attempt, then) {
      const { email, password, address, device = null } = attempt;
      if (isTooLong(password)) throw badCredentials();
      // Strangers lock out strangers: a device that signed in before is counted separately, by account and device.
      const known = deviceKey(device, await accounts.findByEmail(email), clock.now());
      const key = known ?? accountKey(email);
      const client = known === null ? addressKey(address) : null;
      await holdUnblocked(parts, [key]); // without waiting for a turn: guesses during a block must not take the turns of others
      await holdClient(parts, client, address, key);
      return turns.take(key, async () => {
        // Counted before the hash and forgotten after a success, so that guesses at once are no more than guesses in a row.
        const { before, after } = await failures.change(key, (before) =>
          secondsBlocked(before, clock.now()) > 0 ? before : afterFailure(before, clock.now()),
        );
        if (before === after) throw lockedOut(secondsBlocked(before, clock.now()));
        await holdClient(parts, client, address, key, before);
        const account = await accounts.findByEmail(email);
        const { ok, outdated } = await passwords.verify(password, account?.passwordHash ?? null);
        if (account === null || !ok || account.disabledAt !== null) {
          const refused = ok ? 'disabled' : 'password';
          await recordFailure(parts, attempt, {
            account,
            reason: account === null ? 'unknown_account' : refused,
            client,
            blocked: secondsBlocked(after, clock.now()),
          });
          throw badCredentials();
        }
        return then({ account, key, client, renewed: outdated ? await passwords.hash(password) : null });
      });
    },

    async confirm({ account, renewed, key, client }) {
      const held = await accounts.hold({ id: account.id });
      if (held === null || held.disabledAt !== null || held.passwordHash !== account.passwordHash)
        throw badCredentials();
      await failures.clear(key);
      if (client !== null) await failures.change(client, afterSuccess);
      if (renewed === null) return held;
      await accounts.update(held.id, { passwordHash: renewed });
      return { ...held, passwordHash: renewed };
    },

    async withCode(text, purpose, address) {
      // 125 bits are not guessed; the count only keeps one client from trying for the sake of it.
      const key = isShared(address) ? null : addressKey(address);
      if (key !== null) await holdUnblocked(parts, [key]);
      const read = readCode(text);
      const hash = read === null ? null : secretHash(read);
      const code = hash === null ? null : await codes.find(hash);
      if (
        hash !== null &&
        code !== null &&
        sameDigest(code.hash, hash) &&
        code.purpose === purpose &&
        isWaiting(code.expiresAt, clock.now(), code.expiresAt - code.createdAt)
      )
        return code;
      if (key !== null) await failures.change(key, (before) => afterFailure(before, clock.now()));
      throw new AccountError('bad_credentials', 'the code is wrong, was used already, or has ended', {
        hint:
          purpose === 'setup'
            ? 'Copy it from the log of the service again; each start of the service logs a new one'
            : 'Check it, or ask for a new one',
      });
    },
  };
}

/** Why an attempt failed: of a known device (client null) it counts for nobody else. */
interface Failed {
  readonly account: Account | null;
  readonly reason: 'unknown_account' | 'disabled' | 'password';
  readonly client: string | null;
  /** Seconds for which the next try is refused. */
  readonly blocked: number;
}

async function recordFailure(
  { failures, audit, together, clock }: AccountParts,
  { address, path }: Attempt,
  { account, reason, client, blocked }: Failed,
): Promise<void> {
  await together(async () => {
    const counted =
      client === null
        ? null
        : await failures.change(client, (kept) => afterFailure(kept, clock.now(), freeOf(address)));
    // Through a shared proxy anybody can go on with made-up addresses during a block, and would fill the log.
    if (account === null && counted !== null && secondsBlocked(counted.before, clock.now()) > 0) return;
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
        ...(client === null && { known_device: true }),
        ...(blocked > 0 && { blocked_seconds: blocked }),
      },
    });
  });
}

/** A shared address over its bound holds up only those accounts that had a failure themselves since their last success. */
async function holdClient(
  parts: AccountParts,
  client: string | null,
  address: string,
  key: string,
  before?: Failures,
): Promise<void> {
  if (client === null) return;
  if (!isShared(address)) return holdUnblocked(parts, [client]);
  const [own = NO_FAILURES] = before === undefined ? await parts.failures.read([key]) : [before];
  const fresh = parts.clock.now() - own.lastAt > FORGOTTEN_AFTER || own.failures === 0;
  if (!fresh) await holdUnblocked(parts, [client]);
}

async function holdUnblocked({ failures, clock }: AccountParts, keys: readonly string[]): Promise<void> {
  const now = clock.now();
  const wait = Math.max(...(await failures.read(keys)).map((kept) => secondsBlocked(kept, now)));
  if (wait > 0) throw lockedOut(wait);
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
