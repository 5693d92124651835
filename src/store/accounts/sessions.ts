import type { SessionStore } from '../../accounts/index.ts';
import { ACCOUNT_COLUMNS, toAccount } from './accounts.ts';
import type { Store } from '../sql/store.ts';

/** sessionStore keeps sessions in a database. */
export function sessionStore(store: Store): SessionStore {
  return {
    async find(idHash) {
      const row = await store.read
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
        .select(ACCOUNT_COLUMNS)
        .select([
          'sessions.id_hash',
          'sessions.created_at as began_at',
          'sessions.used_at',
          'sessions.expires_at',
        ])
        .where('sessions.id_hash', '=', idHash)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { id_hash, began_at: createdAt, used_at: usedAt, expires_at: expiresAt, ...account } = row;
      return {
        session: { idHash: id_hash, accountId: account.id, createdAt, usedAt, expiresAt },
        account: toAccount(account),
      };
    },
    insert: ({ idHash, accountId, createdAt, usedAt, expiresAt }, most) =>
      store.write(async (transaction) => {
        await transaction
          .insertInto('sessions')
          .values({
            id_hash: idHash,
            account_id: accountId,
            created_at: createdAt,
            used_at: usedAt,
            expires_at: expiresAt,
          })
          .execute();
        const newest = transaction
          .selectFrom('sessions')
          .select('id_hash')
          .where('account_id', '=', accountId)
          .orderBy('created_at', 'desc')
          .limit(most);
        await transaction
          .deleteFrom('sessions')
          .where('account_id', '=', accountId)
          .where('id_hash', '!=', idHash)
          .where('id_hash', 'not in', newest)
          .execute();
      }),
    used: (idHash, at) =>
      store.write(async (transaction) => {
        await transaction
          .updateTable('sessions')
          .set({ used_at: at })
          .where('id_hash', '=', idHash)
          .execute();
      }),
    end: (idHash) =>
      store.write(async (transaction) => {
        await transaction.deleteFrom('sessions').where('id_hash', '=', idHash).execute();
      }),
    endAll: (accountId) =>
      store.write(async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('sessions')
          .where('account_id', '=', accountId)
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}
