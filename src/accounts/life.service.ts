import { AccountError } from './account-error.ts';
import { readEmail, readName, stateOf, targetOf, type Account } from './account.ts';
import { accountKey } from './lock-out.ts';
import { makeId } from './make-secret.service.ts';
import type { Act, AccountParts } from './parts.ts';
import { checkPassword } from './password-rules.ts';
import { updateAccount, type AccountUpdate, type LifeContext } from './life-update.service.ts';
import type { AccountQuery, ERASURES, Paged } from './ports.ts';
import type { Role } from './principal.ts';
import { anonymised, missing, noToken } from './refusals.ts';
import type { Codes, IssuedCode } from './codes.service.ts';
import type { Turns } from './turns.ts';

/**
 * NewAccount is an account to create. Without a password the person sets one with a code; an account that signs in by OIDC needs neither.
 */
export interface NewAccount {
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly password: string | null;
}

/**
 * Life is what administrators do with accounts. Each act stands in the audit log. A token creates no account, gives no role and no
 * code, and neither enables nor anonymises an account: each could end in a sign-in that outlives the token (`forbidden`).
 */
export interface Life {
  /** Throws `forbidden`, `invalid_request`, `conflict` when the address is taken. `code` is null when a password was given. */
  create(
    act: Act,
    wanted: NewAccount,
  ): Promise<{ readonly account: Account; readonly code: IssuedCode | null }>;
  list(query: AccountQuery): Promise<Paged<Account>>;
  /** Throws `not_found`. */
  get(id: string): Promise<Account>;
  /**
   * Changes an account; another role or disabling ends its sessions, disabling also its tokens. Enabling forgets the password from
   * before: there is a new one, or a code that sets one (null where the identity provider signs the person in, or a password was
   * given). Throws `forbidden`, `not_found`, `invalid_request`, `conflict` when the last enabled administrator would be lost.
   */
  update(
    act: Act,
    id: string,
    changes: AccountUpdate,
  ): Promise<{ readonly account: Account; readonly code: IssuedCode | null }>;
  /** Gives a code that sets a new password. Throws `forbidden`, `not_found`, `conflict`. */
  issueCode(act: Act, id: string): Promise<IssuedCode>;
  /**
   * Blanks a disabled account, rewrites every copy of its name to `user:<account_id>`, and takes what stood there out of the files of
   * the database, as far as it can at once. Throws `forbidden`, `not_found`, `conflict`.
   */
  anonymise(
    act: Act,
    id: string,
  ): Promise<{ readonly account: Account; readonly erasure: (typeof ERASURES)[number] }>;
}

/** openLife joins the life of accounts with its parts. */
export function openLife(parts: AccountParts, codes: Codes, turns: Turns): Life {
  const { accounts } = parts;
  const context: LifeContext = { parts, codes, turns };
  return {
    list: (query) => accounts.list(query),
    get: async (id) => (await accounts.find(id)) ?? missing(id),
    create: (act, wanted) => createAccount(context, act, wanted),
    update: (act, id, update) => updateAccount(context, act, id, update),
    issueCode: (act, id) => issueCode(context, act, id),
    anonymise: (act, id) => anonymiseAccount(parts, act, id),
  };
}

async function createAccount(
  { parts, codes, turns }: LifeContext,
  { by, path }: Act,
  wanted: NewAccount,
): ReturnType<Life['create']> {
  const { accounts, audit, together, passwords, clock } = parts;
  noToken(by, 'make accounts');
  const { role, password } = wanted;
  const email = readEmail(wanted.email);
  const name = wanted.name === null ? null : readName(wanted.name);
  if (password !== null) checkPassword(password, { email, name });
  const passwordHash = password === null ? null : await turns.take(makeId(), () => passwords.hash(password));
  const account: Account = {
    id: makeId(),
    email,
    name,
    avatar: null,
    role,
    passwordHash,
    oidcSubject: null,
    createdAt: clock.now(),
    disabledAt: null,
    anonymisedAt: null,
  };
  return together(async () => {
    if (!(await accounts.insert(account))) {
      throw new AccountError('conflict', `${email} has an account already`, {
        hint: 'See ipo account list',
      });
    }
    const code = password === null ? await codes.issue('password', account.id, null) : null;
    const detail = { account_id: account.id, role, invited: code !== null };
    await audit.record({ actor: by, action: 'account_create', target: email, path, detail });
    return { account, code };
  });
}

async function issueCode({ parts, codes }: LifeContext, { by, path }: Act, id: string): Promise<IssuedCode> {
  const { accounts, audit, together } = parts;
  noToken(by, 'give a code that sets a password');
  return together(async () => {
    const account = (await accounts.hold({ id })) ?? missing(id);
    if (stateOf(account) === 'anonymised') throw anonymised();
    if (account.disabledAt !== null) {
      throw new AccountError('conflict', 'the account is disabled', { hint: 'Enable it first' });
    }
    const code = await codes.issue('password', id, null);
    const detail = { account_id: id, changed: ['password_code'] };
    await audit.record({ actor: by, action: 'account_update', target: targetOf(account), path, detail });
    return code;
  });
}

async function anonymiseAccount(
  { accounts, sessions, failures, erasure, audit, together, clock }: AccountParts,
  { by, path }: Act,
  id: string,
): ReturnType<Life['anonymise']> {
  // The identity provider's person is unknown then, and may sign in as a new person.
  noToken(by, 'anonymise an account');
  const known = await accounts.find(id);
  const found = known !== null && stateOf(known) === 'disabled' ? await accounts.findCopies(known) : null;
  const account = await together(async () => {
    const account = (await accounts.hold({ id })) ?? missing(id);
    const state = stateOf(account);
    if (state === 'anonymised') return account;
    if (state === 'enabled') {
      throw new AccountError('conflict', 'only a disabled account can be anonymised', {
        hint: 'Disable it first: ipo account disable',
      });
    }
    const at = clock.now();
    const copies = await accounts.anonymise(account, at, found);
    await sessions.endAll(id);
    if (account.email !== null) await failures.clear(accountKey(account.email));
    await erasure.mark();
    const blank = {
      email: null,
      name: null,
      avatar: null,
      passwordHash: null,
      oidcSubject: null,
      anonymisedAt: at,
    };
    const left: Account = { ...account, ...blank };
    const detail = { account_id: id, copies };
    await audit.record({ actor: by, action: 'account_anonymise', target: targetOf(left), path, detail });
    return left;
  });
  return { account, erasure: await erasure.attempt() };
}
