import { AccountError, invalidField } from './account-error.ts';
import { readEmail, readName, stateOf, targetOf, type Account } from './account.ts';
import { accountKey } from './lock-out.ts';
import { makeId } from './make-secret.service.ts';
import type { Act, AccountParts } from './parts.ts';
import { checkPassword } from './password-rules.ts';
import type { AccountChanges, AccountQuery, ERASURES, Paged } from './ports.ts';
import type { Principal, Role } from './principal.ts';
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

/** AccountUpdate is what is changed; what is absent stays. */
export interface AccountUpdate {
  readonly name?: string | null | undefined;
  readonly role?: Role | undefined;
  readonly enabled?: boolean | undefined;
  /** With `enabled: true` for a disabled account: its new password, instead of a code that sets one. */
  readonly password?: string | undefined;
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
  const { accounts, sessions, tokens, failures, erasure, audit, together, passwords, clock } = parts;
  return {
    list: (query) => accounts.list(query),
    get: async (id) => (await accounts.find(id)) ?? missing(id),

    async create({ by, path }, wanted) {
      noToken(by, 'make accounts');
      const { role, password } = wanted;
      const email = readEmail(wanted.email);
      const name = wanted.name === null ? null : readName(wanted.name);
      if (password !== null) checkPassword(password, { email, name });
      const passwordHash =
        password === null ? null : await turns.take(makeId(), () => passwords.hash(password));
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
    },

    async update({ by, path }, id, { name, role, enabled, password }) {
      if (role !== undefined) noToken(by, 'change a role');
      if (enabled === true || password !== undefined) noToken(by, 'enable an account');
      const newName = typeof name === 'string' ? readName(name) : name;
      const fresh = password === undefined ? null : await firstPassword(id, enabled === true, password);
      return together(async () => {
        const { administrators } = await accounts.holdAdministrators();
        const account = (await accounts.hold({ id })) ?? missing(id);
        if (stateOf(account) === 'anonymised') throw anonymised();
        const enables = enabled === true && account.disabledAt !== null;
        if (password !== undefined && !enables) throw onlyToEnable();
        const changes: AccountChanges = {
          ...(newName !== undefined && newName !== account.name && { name: newName }),
          ...(role !== undefined && role !== account.role && { role }),
          // The old password must no longer work.
          ...(enables && { disabledAt: null, passwordHash: fresh }),
          ...(enabled === false && account.disabledAt === null && { disabledAt: clock.now() }),
        };
        if (Object.keys(changes).length === 0) return { account, code: null };
        const changed = { ...account, ...changes };
        if (isAdministrator(account) && !isAdministrator(changed) && administrators <= 1) throw lastOne();
        await accounts.update(id, changes);
        // Sessions of the old role end; the person signs in again with the new one.
        if ('role' in changes || changed.disabledAt !== null) await sessions.endAll(id);
        if (changed.disabledAt !== null) {
          await tokens.revokeAll(id, clock.now());
          await codes.endAll(id);
        }
        const byProvider = account.passwordHash === null && account.oidcSubject !== null;
        const code =
          enables && fresh === null && !byProvider ? await codes.issue('password', id, null) : null;
        const detail = {
          account_id: id,
          changed: Object.keys(changes).flatMap((key) => CHANGED[key as keyof AccountChanges] ?? []),
          ...('role' in changes && { role: { from: account.role, to: changed.role } }),
          ...('disabledAt' in changes && { enabled: changed.disabledAt === null }),
          ...(enables && { password: passwordOf(fresh !== null, code !== null) }),
        };
        const action =
          'disabledAt' in changes && changed.disabledAt !== null ? 'account_delete' : 'account_update';
        await audit.record({ actor: by, action, target: targetOf(account), path, detail });
        return { account: changed, code };
      });
    },

    async issueCode({ by, path }, id) {
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
    },

    async anonymise({ by, path }, id) {
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
    },
  };

  /** The hash of the password that a disabled account is enabled with. */
  async function firstPassword(id: string, enable: boolean, password: string): Promise<string> {
    if (!enable) throw onlyToEnable();
    checkPassword(password, (await accounts.find(id)) ?? missing(id));
    return turns.take(id, () => passwords.hash(password));
  }
}

/** CHANGED is how the audit log names what was changed. */
const CHANGED: Partial<Readonly<Record<keyof AccountChanges, string>>> = {
  name: 'name',
  role: 'role',
  disabledAt: 'enabled',
};

/** Refuses a token whatever could become a session, or an account, that outlives it. */
function noToken(by: Principal | null, what: string): void {
  if (by?.via !== 'token') return;
  throw new AccountError('forbidden', `a token cannot ${what}`, {
    hint: 'Sign in as a user; otherwise a leaked token could give lasting access',
  });
}

function isAdministrator({ role, disabledAt }: Account): boolean {
  return role === 'administrator' && disabledAt === null;
}

function onlyToEnable(): Error {
  return invalidField(
    'password',
    'it is only for an account that is disabled, and enabled with it',
    'Give a code that sets a new password: ipo account password WHO',
  );
}

function missing(id: string): never {
  throw new AccountError('not_found', `no account has the ID ${id}`, { hint: 'See ipo account list' });
}

function anonymised(): AccountError {
  return new AccountError('conflict', 'the account was anonymised, which cannot be undone', {
    hint: 'Create another account',
  });
}

/** lastOne refuses what would leave nobody to administer the service. */
export function lastOne(): AccountError {
  return new AccountError(
    'conflict',
    'the last enabled administrator can be neither disabled nor given another role',
    {
      hint: 'Make somebody else an administrator first',
    },
  );
}

/** What the audit log says of the password of an account that is enabled. */
function passwordOf(isSet: boolean, hasCode: boolean): 'set' | 'code' | 'none' {
  if (isSet) return 'set';
  return hasCode ? 'code' : 'none';
}
