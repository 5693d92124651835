import type { Account, AccountState } from './account.ts';
import type { Failures } from './lock-out.ts';
import type { Identity } from './oidc.ts';
import type { Role } from './principal.ts';
import type { Session } from './session.ts';
import type { Token } from './token.ts';

/** Together runs an act in one transaction that the writes inside of it join, and commits it durably. */
export type Together = <T>(act: () => Promise<T>) => Promise<T>;

/** Paged is one page of a list; `total` counts what stands on other pages too. */
export interface Paged<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Page says which part of a list is wanted; limit null is the whole. */
export interface Page {
  readonly limit: number | null;
  readonly offset: number;
}

/** AccountQuery narrows a list of accounts; null is any. */
export interface AccountQuery extends Page {
  readonly role: Role | null;
  readonly state: AccountState | null;
}

/** AccountChanges are the columns that may change. */
export type AccountChanges = Partial<
  Pick<Account, 'name' | 'role' | 'passwordHash' | 'oidcSubject' | 'avatar' | 'disabledAt'>
>;

/** AccountKey names one account. */
export type AccountKey =
  | { readonly id: string }
  | { readonly email: string }
  | { readonly oidcSubject: string };

/** AccountNames gives what people are shown of accounts, by id: name or address; an account that has neither is left out. */
export type AccountNames = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** AccountStore keeps accounts. */
export interface AccountStore {
  find(id: string): Promise<Account | null>;
  findByEmail(email: string): Promise<Account | null>;
  /** Newest last. */
  list(query: AccountQuery): Promise<Paged<Account>>;
  /** Tells whether any enabled account is an administrator's. */
  hasAdministrator(): Promise<boolean>;
  /** Adds an account; false, and nothing done, when the address or the subject is taken. */
  insert(account: Account): Promise<boolean>;
  update(id: string, changes: AccountChanges): Promise<void>;
  /**
   * Keeps an account from changing until the transaction ends, and gives it as it stands then; null when there is none. Only
   * inside `Together`.
   */
  hold(which: AccountKey): Promise<Account | null>;
  /**
   * Keeps everybody else from changing who administers until the transaction ends, and gives how many enabled administrators
   * there are then. Only inside `Together`, before anything else is held.
   */
  holdAdministrators(): Promise<{ readonly administrators: number }>;
  /** Looks through the audit log for what anonymise is to rewrite there, while others write; null where those would not wait for it. */
  findCopies(account: Account): Promise<FoundCopies | null>;
  /**
   * Blanks name, address and avatar, and rewrites every copy of the name and the address. Gives how many copies there were. Looks through
   * the whole audit log unless what was found of the account, as it stands, is given.
   */
  anonymise(account: Account, at: number, found: FoundCopies | null): Promise<number>;
}

/** FoundCopies are the entries of the audit log, up to one of them, that may hold a copy of a name or an address. */
export interface FoundCopies {
  readonly of: Pick<Account, 'id' | 'name' | 'email'>;
  readonly upto: number;
  readonly ids: readonly number[];
}

/** SessionStore keeps sessions by the hash of their secret. */
export interface SessionStore {
  find(idHash: Buffer): Promise<{ readonly session: Session; readonly account: Account } | null>;
  /** Adds a session; when its account has `most` already, the oldest of them end. */
  insert(session: Session, most: number): Promise<void>;
  used(idHash: Buffer, at: number): Promise<void>;
  end(idHash: Buffer): Promise<void>;
  /** Gives how many ended. */
  endAll(accountId: string): Promise<number>;
}

/** TokenStore keeps tokens by the hash of their secret. */
export interface TokenStore {
  find(
    hash: Buffer,
  ): Promise<{ readonly hash: Buffer; readonly token: Token; readonly account: Account } | null>;
  /** Keeps a token from changing until the transaction ends; only inside `Together`. */
  hold(id: string): Promise<Token | null>;
  insert(token: Token, hash: Buffer): Promise<void>;
  /** Newest first, with their accounts; of one account, or of all (null); without those that ended before `endedSince`. */
  list(
    accountId: string | null,
    endedSince: number,
    page: Page,
  ): Promise<Paged<{ readonly token: Token; readonly account: Account }>>;
  /** Only inside `Together`. */
  countActive(accountId: string, now: number): Promise<number>;
  used(id: string, at: number): Promise<void>;
  /** False when it was revoked already. */
  revoke(id: string, at: number): Promise<boolean>;
  /** Gives how many were revoked. */
  revokeAll(accountId: string, at: number): Promise<number>;
}

/** ERASURES are how far a name is out of the files of the database; `server` where these belong to a database server. */
export const ERASURES = ['done', 'pending', 'server'] as const;

/** Erasure takes what was overwritten out of the files of the database, where these are ours. */
export interface Erasure {
  /** Notes that something is to be taken out, so that it is known after a restart; only inside `Together`. */
  mark(): Promise<void>;
  /** Takes out what was marked; `pending` where a reader of an earlier state still holds it: call it again. Never inside `Together`. */
  attempt(): Promise<(typeof ERASURES)[number]>;
}

/** FailureStore counts failed sign-ins, for all replicas and across restarts. */
export interface FailureStore {
  /** What is kept under each key, in their order. */
  read(keys: readonly string[]): Promise<readonly Failures[]>;
  /** Changes what is kept under a key, one change after another; `change` may give back what it was given. */
  change(
    key: string,
    change: (before: Failures) => Failures,
  ): Promise<{ readonly before: Failures; readonly after: Failures }>;
  clear(key: string): Promise<void>;
}

/** CODE_PURPOSES are what a one-time code can be for. */
export const CODE_PURPOSES = ['setup', 'password', 'sign_in'] as const;

/** OneTimeCode is a code that works once. */
export interface OneTimeCode {
  readonly hash: Buffer;
  readonly purpose: (typeof CODE_PURPOSES)[number];
  readonly accountId: string | null;
  readonly binding: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** CodeStore keeps one-time codes by their hash. */
export interface CodeStore {
  find(hash: Buffer): Promise<OneTimeCode | null>;
  insert(code: OneTimeCode): Promise<void>;
  /** Takes a code away; false when another was quicker. */
  take(hash: Buffer): Promise<boolean>;
  /** Takes away every code of a purpose and an account (null: of none). */
  takeAll(purpose: OneTimeCode['purpose'], accountId: string | null): Promise<void>;
}

/** Sweeper deletes what has ended: sessions, codes, failures that are forgotten, tokens dead for long. */
export interface Sweeper {
  sweep(before: {
    readonly now: number;
    readonly idleSince: number;
    readonly failuresBefore: number;
    readonly tokensBefore: number;
  }): Promise<void>;
}

/** Flow is what a browser must bring back from the identity provider; it is kept in the browser's own cookie. */
export interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** IdentityProvider is where people sign in by OIDC. Faults of the provider are `unavailable` or `network`. */
export interface IdentityProvider {
  /** Gives the address to send the browser to. */
  begin(): Promise<{ readonly url: string; readonly flow: Flow }>;
  /**
   * Gives who has signed in, from the query that the browser came back with. Throws `bad_credentials` for anything that is
   * not proved: state, nonce, issuer, audience, times, signature.
   */
  finish(query: string, flow: Flow): Promise<Identity>;
}
