import type { Selectable } from 'kysely';
import {
  ROLES,
  type Account,
  type Page,
  type Paged,
  type Token,
  type TokenStore,
} from '../../accounts/index.ts';
import { ACCOUNT_COLUMNS, toAccount } from './accounts.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';

const TOKEN_COLUMNS = [
  'tokens.id as token_id',
  'tokens.account_id',
  'tokens.name as token_name',
  'tokens.role as token_role',
  'tokens.hash',
  'tokens.created_at as made_at',
  'tokens.expires_at',
  'tokens.used_at',
  'tokens.revoked_at',
] as const;

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000;

/** tokenStore keeps API tokens in a database. */
export function tokenStore(store: Store): TokenStore {
  return {
    find: (hash) => findToken(store, hash),
    hold: (id) =>
      store.write(async (transaction) => {
        const row = await transaction
          .updateTable('tokens')
          .set((of) => ({ name: of.ref('name') }))
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        return row === undefined ? null : toToken(row);
      }),
    insert: (token, hash) => insertToken(store, token, hash),
    list: (accountId, endedSince, page) => listTokens(store, accountId, endedSince, page),
    countActive: (accountId, now) =>
      store.write(async (transaction) => {
        const { active } = await transaction
          .selectFrom('tokens')
          .select((of) => of.fn.countAll<number>().as('active'))
          .where('account_id', '=', accountId)
          .where('revoked_at', 'is', null)
          .where('expires_at', '>', now)
          .executeTakeFirstOrThrow();
        return active;
      }),
    used: (id, at) =>
      store.write(async (transaction) => {
        await transaction.updateTable('tokens').set({ used_at: at }).where('id', '=', id).execute();
      }),
    revoke: (id, at) =>
      store.write(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('tokens')
          .set({ revoked_at: at })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      }),
    revokeAll: (accountId, at) =>
      store.write(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('tokens')
          .set({ revoked_at: at })
          .where('account_id', '=', accountId)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        return Number(numUpdatedRows);
      }),
  };
}

interface Found {
  readonly hash: Buffer;
  readonly token: Token;
  readonly account: Account;
}

/** Tokens with the accounts that they stand for. */
function joined(store: Store) {
  return store.read.selectFrom('tokens').innerJoin('accounts', 'accounts.id', 'tokens.account_id');
}

async function findToken(store: Store, hash: Buffer): Promise<Found | null> {
  const row = await joined(store)
    .select(ACCOUNT_COLUMNS)
    .select(TOKEN_COLUMNS)
    .where('tokens.hash', '=', hash)
    .executeTakeFirst();
  return row === undefined ? null : { hash: row.hash, token: fromJoined(row), account: toAccount(row) };
}

async function insertToken(store: Store, token: Token, hash: Buffer): Promise<void> {
  await store.write(async (transaction) => {
    await transaction
      .insertInto('tokens')
      .values({
        id: token.id,
        account_id: token.accountId,
        name: token.name,
        role: token.role,
        hash,
        created_at: token.createdAt,
        expires_at: token.expiresAt,
        used_at: token.usedAt,
        revoked_at: token.revokedAt,
      })
      .execute();
  });
}

async function listTokens(
  store: Store,
  accountId: string | null,
  endedSince: number,
  { limit, offset }: Page,
): Promise<Paged<Omit<Found, 'hash'>>> {
  const listed = joined(store)
    .where('tokens.expires_at', '>=', endedSince)
    .where((of) => of.or([of('tokens.revoked_at', 'is', null), of('tokens.revoked_at', '>=', endedSince)]));
  const wanted = accountId === null ? listed : listed.where('tokens.account_id', '=', accountId);
  const { total } = await wanted
    .select((of) => of.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await wanted
    .select(ACCOUNT_COLUMNS)
    .select(TOKEN_COLUMNS)
    .orderBy('tokens.created_at', 'desc')
    .orderBy('tokens.id')
    .limit(limit ?? ALL)
    .offset(offset)
    .execute();
  return {
    items: rows.map((row) => ({ token: fromJoined(row), account: toAccount(row) })),
    total,
  };
}

interface JoinedToken {
  readonly token_id: string;
  readonly account_id: string;
  readonly token_name: string;
  readonly token_role: string;
  readonly made_at: number;
  readonly expires_at: number;
  readonly used_at: number | null;
  readonly revoked_at: number | null;
}

function fromJoined(row: JoinedToken): Token {
  const { token_id: id, token_name: name, token_role: role, made_at: created_at } = row;
  return toToken({ ...row, id, name, role, created_at });
}

function toToken(row: Omit<Selectable<Tables['tokens']>, 'hash'>): Token {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    role: ROLES.find((role) => role === row.role) ?? 'viewer',
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    revokedAt: row.revoked_at,
  };
}
