import { invalidField } from './account-error.ts';
import { readName, stateOf, targetOf, type Account } from './account.ts';
import type { Codes, IssuedCode } from './codes.service.ts';
import type { Act, AccountParts } from './parts.ts';
import { checkPassword } from './password-rules.ts';
import type { AccountChanges } from './ports.ts';
import type { Role } from './principal.ts';
import { anonymised, lastOne, missing, noToken } from './refusals.ts';
import type { Turns } from './turns.ts';

/** AccountUpdate is what is changed; what is absent stays. */
export interface AccountUpdate {
  readonly name?: string | null | undefined;
  readonly role?: Role | undefined;
  readonly enabled?: boolean | undefined;
  /** With `enabled: true` for a disabled account: its new password, instead of a code that sets one. */
  readonly password?: string | undefined;
}

/** LifeContext is what the acts of administrators have in common. */
export interface LifeContext {
  readonly parts: AccountParts;
  readonly codes: Codes;
  readonly turns: Turns;
}

/** updateAccount changes an account, as Life has it. */
export async function updateAccount(
  context: LifeContext,
  { by, path }: Act,
  id: string,
  update: AccountUpdate,
): Promise<{ readonly account: Account; readonly code: IssuedCode | null }> {
  const { accounts, audit, together, clock } = context.parts;
  const { name, role, enabled, password } = update;
  if (role !== undefined) noToken(by, 'change a role');
  if (enabled === true || password !== undefined) noToken(by, 'enable an account');
  const wanted = { ...update, name: typeof name === 'string' ? readName(name) : name };
  const fresh = password === undefined ? null : await firstPassword(context, id, enabled === true, password);
  return together(async () => {
    const { administrators } = await accounts.holdAdministrators();
    const account = (await accounts.hold({ id })) ?? missing(id);
    if (stateOf(account) === 'anonymised') throw anonymised();
    const enables = enabled === true && account.disabledAt !== null;
    if (password !== undefined && !enables) throw onlyToEnable();
    const changes = changesOf(account, wanted, fresh, clock.now());
    if (Object.keys(changes).length === 0) return { account, code: null };
    const changed = { ...account, ...changes };
    if (isAdministrator(account) && !isAdministrator(changed) && administrators <= 1) throw lastOne();
    await accounts.update(id, changes);
    await endAccess(context, changed, changes);
    const code = enables ? await codeToEnable(context, account, fresh) : null;
    const isDisabled = 'disabledAt' in changes && changed.disabledAt !== null;
    await audit.record({
      actor: by,
      action: isDisabled ? 'account_delete' : 'account_update',
      target: targetOf(account),
      path,
      detail: {
        ...detailOf(account, changes),
        ...(enables && { password: passwordOf(fresh !== null, code !== null) }),
      },
    });
    return { account: changed, code };
  });
}

/** What differs from how the account stands; `fresh` is the hash of its new password, null for none. */
function changesOf(
  account: Account,
  { name, role, enabled }: AccountUpdate,
  fresh: string | null,
  now: number,
): AccountChanges {
  return {
    ...(name !== undefined && name !== account.name && { name }),
    ...(role !== undefined && role !== account.role && { role }),
    // The old password must no longer work.
    ...(enabled === true && account.disabledAt !== null && { disabledAt: null, passwordHash: fresh }),
    ...(enabled === false && account.disabledAt === null && { disabledAt: now }),
  };
}

/** Sessions of the old role end; the person signs in again with the new one. A disabled account keeps nothing that lets it in. */
async function endAccess(
  { parts: { sessions, tokens, clock }, codes }: LifeContext,
  { id, disabledAt }: Account,
  changes: AccountChanges,
): Promise<void> {
  if ('role' in changes || disabledAt !== null) await sessions.endAll(id);
  if (disabledAt === null) return;
  await tokens.revokeAll(id, clock.now());
  await codes.endAll(id);
}

/** A code for who is enabled without a password; null for whom the identity provider signs in. */
async function codeToEnable(
  { codes }: LifeContext,
  { id, passwordHash, oidcSubject }: Account,
  fresh: string | null,
): Promise<IssuedCode | null> {
  const byProvider = passwordHash === null && oidcSubject !== null;
  return fresh === null && !byProvider ? codes.issue('password', id, null) : null;
}

/** What the audit log says of changes. */
function detailOf(account: Account, changes: AccountChanges) {
  return {
    account_id: account.id,
    changed: Object.keys(changes).flatMap((key) => CHANGED[key as keyof AccountChanges] ?? []),
    ...(changes.role !== undefined && { role: { from: account.role, to: changes.role } }),
    ...(changes.disabledAt !== undefined && { enabled: changes.disabledAt === null }),
  };
}

/** CHANGED is how the audit log names what was changed. */
const CHANGED: Partial<Readonly<Record<keyof AccountChanges, string>>> = {
  name: 'name',
  role: 'role',
  disabledAt: 'enabled',
};

/** The hash of the password that a disabled account is enabled with. */
async function firstPassword(
  { parts: { accounts, passwords }, turns }: LifeContext,
  id: string,
  enable: boolean,
  password: string,
): Promise<string> {
  if (!enable) throw onlyToEnable();
  checkPassword(password, (await accounts.find(id)) ?? missing(id));
  return turns.take(id, () => passwords.hash(password));
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

/** What the audit log says of the password of an account that is enabled. */
function passwordOf(isSet: boolean, hasCode: boolean): 'set' | 'code' | 'none' {
  if (isSet) return 'set';
  return hasCode ? 'code' : 'none';
}
