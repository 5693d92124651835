import { shownName, type Account } from './account.ts';
import { makeSecret } from './make-secret.service.ts';
import type { AccountParts } from './parts.ts';
import type { Principal } from './principal.ts';
import { sameDigest, secretHash, secretKind } from './secret.ts';
import { isAlive, MAX_SESSIONS, SESSION_LIFE, USE_RECORDED_EVERY } from './session.ts';

/** SignedIn is a sign-in that has just succeeded. */
export interface SignedIn {
  /** The session's secret, for a cookie or a bearer; it is not kept and cannot be told again. */
  readonly secret: string;
  readonly account: Account;
  /** UTC milliseconds at which the session ends whatever its use. */
  readonly expiresAt: number;
}

/** Sessions are sign-ins that have not ended. */
export interface Sessions {
  /** Begins a session; only inside `Together`, with the account held. */
  start(account: Account): Promise<SignedIn>;
  /** Who the secret of a session proves, and when it ends; null when it proves nobody. The store is asked each time. */
  find(
    secret: string,
  ): Promise<{ readonly principal: Principal; readonly account: Account; readonly expiresAt: number } | null>;
  /** Ends the session of a secret. */
  end(secret: string): Promise<void>;
}

/** openSessions joins sessions with the store. */
export function openSessions({
  sessions,
  clock,
  log,
}: Pick<AccountParts, 'sessions' | 'clock' | 'log'>): Sessions {
  return {
    async start(account) {
      const secret = makeSecret('session');
      const now = clock.now();
      const expiresAt = now + SESSION_LIFE;
      const idHash = secretHash(secret);
      await sessions.insert(
        { idHash, accountId: account.id, createdAt: now, usedAt: now, expiresAt },
        MAX_SESSIONS,
      );
      return { secret, account, expiresAt };
    },

    async find(secret) {
      if (secretKind(secret) !== 'session') return null;
      const idHash = secretHash(secret);
      const found = await sessions.find(idHash);
      const now = clock.now();
      if (found === null || !sameDigest(found.session.idHash, idHash)) return null;
      const { session, account } = found;
      if (!isAlive(session, now) || account.disabledAt !== null) return null;
      if (now - session.usedAt >= USE_RECORDED_EVERY) {
        // A database that takes no writes for a while must not keep people from reading; the session just idles on.
        await sessions
          .used(idHash, now)
          .catch((error: unknown) => log.warn('use of a session not recorded', { error }));
      }
      const { id: accountId, role } = account;
      return {
        principal: { accountId, name: shownName(account), role, via: 'session', tokenId: null },
        account,
        expiresAt: session.expiresAt,
      };
    },

    end: (secret) => sessions.end(secretHash(secret)),
  };
}
