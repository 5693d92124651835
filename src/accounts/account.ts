import { invalidField } from './account-error.ts';
import type { Role } from './principal.ts';

/** Account is a person who may sign in. Times are UTC milliseconds. */
export interface Account {
  /** `[a-z2-7]{16}`. */
  readonly id: string;
  /** Lower case; null once anonymised. */
  readonly email: string | null;
  readonly name: string | null;
  /** HTTPS address of a picture, as the identity provider gave it, or null. */
  readonly avatar: string | null;
  readonly role: Role;
  /** PHC string, or null when the account has no password. */
  readonly passwordHash: string | null;
  /** Issuer and subject of the identity provider, separated by a line feed, or null. */
  readonly oidcSubject: string | null;
  readonly createdAt: number;
  readonly disabledAt: number | null;
  readonly anonymisedAt: number | null;
}

/** ACCOUNT_STATES are what an account can be; only an enabled one signs in. */
export const ACCOUNT_STATES = ['enabled', 'disabled', 'anonymised'] as const;

/** AccountState is one of them. */
export type AccountState = (typeof ACCOUNT_STATES)[number];

/** stateOf tells an account's state. */
export function stateOf(account: Pick<Account, 'disabledAt' | 'anonymisedAt'>): AccountState {
  if (account.anonymisedAt !== null) return 'anonymised';
  return account.disabledAt === null ? 'enabled' : 'disabled';
}

/** personOf names a person where no name may stand: `user:<account_id>`. */
export function personOf(accountId: string): string {
  return `user:${accountId}`;
}

/** shownName is how people see an account: its name, else its e-mail address, else `user:<account_id>`. */
export function shownName(account: Pick<Account, 'id' | 'name' | 'email'>): string {
  return account.name ?? account.email ?? personOf(account.id);
}

/** actorOf is an account as the audit log names it. */
export function actorOf(account: Pick<Account, 'id' | 'name' | 'email'>): {
  accountId: string;
  name: string;
} {
  return { accountId: account.id, name: shownName(account) };
}

/** targetOf names an account that something was done to: by its address, which never changes. */
export function targetOf(account: Pick<Account, 'id' | 'email'>): string {
  return account.email ?? personOf(account.id);
}

/** MAX_EMAIL and MAX_NAME are how many characters an address and a name may have. */
export const MAX_EMAIL = 254;
export const MAX_NAME = 100;

// Whatever does not show, or shows text in another order than it has, could make one person look like another.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;

/** readEmail gives an address as it is kept: lower case. Throws `invalid_request`. */
export function readEmail(text: string): string {
  const email = text.normalize('NFC').trim().toLowerCase();
  if (
    email.length > MAX_EMAIL ||
    UNSEEN.test(email) ||
    !/^[^\s@<>"',;:()[\]\\]+@[^\s@<>"',;:()[\]\\]+$/u.test(email)
  )
    throw invalidField('email', 'this is not a valid e-mail address', 'Write it as name@example.com');
  return email;
}

/** readName gives a name as it is kept, with single spaces. Throws `invalid_request`. */
export function readName(text: string): string {
  const name = text.normalize('NFC').trim().replaceAll(/ {2,}/g, ' ');
  if (name === '') throw invalidField('name', 'it is empty');
  if ([...name].length > MAX_NAME) throw invalidField('name', `it has more than ${MAX_NAME} characters`);
  if (UNSEEN.test(name)) throw invalidField('name', 'it has characters that do not show');
  // Where a name is written, `user:<id>` stands for somebody who was anonymised.
  if (/^user:/i.test(name)) throw invalidField('name', 'names that begin with user: are taken');
  return name;
}
