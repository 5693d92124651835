import type { Selectable, Transaction } from 'kysely';
import {
  ROLES,
  type Account,
  type AccountChanges,
  type AccountKey,
  type AccountQuery,
  type AccountStore,
} from '../../accounts/index.ts';
import { anonymiseAccount, findCopies } from './copies.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000;

/** accountStore keeps accounts in a database. */
export function accountStore(store: Store): AccountStore {
  const all = () => store.read.selectFrom('accounts').selectAll();
  return {
    find: async (id) => toAccountOrNull(await all().where('id', '=', id).executeTakeFirst()),
    findByEmail: async (email) => toAccountOrNull(await all().where('email', '=', email).executeTakeFirst()),
    list: (query) => list(store, query),
    hasAdministrator: async () =>
      (await all()
        .where('role', '=', 'administrator')
        .where('disabled_at', 'is', null)
        .limit(1)
        .executeTakeFirst()) !== undefined,
    insert: (account) =>
      store.write(async (transaction) => {
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('accounts')
          .values({
            id: account.id,
            email: account.email,
            name: account.name,
            avatar: account.avatar,
            role: account.role,
            password_hash: account.passwordHash,
            oidc_subject: account.oidcSubject,
            created_at: account.createdAt,
            disabled_at: account.disabledAt,
            anonymised_at: account.anonymisedAt,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows === 1n;
      }),
    update: (id, changes) =>
      store.write(async (transaction) => {
        await transaction.updateTable('accounts').set(toColumns(changes)).where('id', '=', id).execute();
      }),
    hold: (which) => store.write((transaction) => hold(transaction, which)),
    holdAdministrators: () => store.write(holdAdministrators),
    findCopies: (account) => findCopies(store, account),
    anonymise: (account, at, found) =>
      store.write((transaction) => anonymiseAccount(transaction, account, at, found)),
  };
}

/** ACCOUNT_COLUMNS are the columns of an account, for queries that join it. */
export const ACCOUNT_COLUMNS = [
  'accounts.id',
  'accounts.email',
  'accounts.name',
  'accounts.avatar',
  'accounts.role',
  'accounts.password_hash',
  'accounts.oidc_subject',
  'accounts.created_at',
  'accounts.disabled_at',
  'accounts.anonymised_at',
] as const;

/** toAccount turns a row into an account. A role that this release does not know may do the least. */
export function toAccount(row: Selectable<Tables['accounts']>): Account {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    avatar: row.avatar,
    role: ROLES.find((role) => role === row.role) ?? 'viewer',
    passwordHash: row.password_hash,
    oidcSubject: row.oidc_subject,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    anonymisedAt: row.anonymised_at,
  };
}

function toAccountOrNull(row: Selectable<Tables['accounts']> | undefined): Account | null {
  return row === undefined ? null : toAccount(row);
}

function toColumns({
  name,
  role,
  passwordHash,
  oidcSubject,
  avatar,
  disabledAt,
}: AccountChanges): Partial<Tables['accounts']> {
  return {
    ...(name !== undefined && { name }),
    ...(role !== undefined && { role }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(oidcSubject !== undefined && { oidc_subject: oidcSubject }),
    ...(avatar !== undefined && { avatar }),
    ...(disabledAt !== undefined && { disabled_at: disabledAt }),
  };
}

function columnOf(which: AccountKey) {
  if ('id' in which) return ['id', which.id] as const;
  if ('email' in which) return ['email', which.email] as const;
  return ['oidc_subject', which.oidcSubject] as const;
}

/** A write that changes nothing locks the row on both engines, and waits for a transaction that is changing it. */
async function hold(transaction: Transaction<Tables>, which: AccountKey): Promise<Account | null> {
  const [column, value] = columnOf(which);
  const row = await transaction
    .updateTable('accounts')
    .set((of) => ({ role: of.ref('role') }))
    .where(column, '=', value)
    .returningAll()
    .executeTakeFirst();
  return toAccountOrNull(row);
}

/** One row of the settings stands for the question who administers; its writer holds the others off. */
async function holdAdministrators(transaction: Transaction<Tables>) {
  await transaction
    .insertInto('settings')
    .values({ key: 'administrators', value: 'held' })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: 'held' }))
    .execute();
  return transaction
    .selectFrom('accounts')
    .select((of) => of.fn.countAll<number>().as('administrators'))
    .where('role', '=', 'administrator')
    .where('disabled_at', 'is', null)
    .executeTakeFirstOrThrow();
}

async function list(store: Store, { role, state, limit, offset }: AccountQuery) {
  let rows = store.read.selectFrom('accounts');
  if (role !== null) rows = rows.where('role', '=', role);
  if (state === 'anonymised') rows = rows.where('anonymised_at', 'is not', null);
  if (state === 'disabled')
    rows = rows.where('disabled_at', 'is not', null).where('anonymised_at', 'is', null);
  if (state === 'enabled') rows = rows.where('disabled_at', 'is', null);
  const { total } = await rows.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const found = await rows
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit ?? ALL)
    .offset(offset)
    .execute();
  return { items: found.map(toAccount), total: total };
}
