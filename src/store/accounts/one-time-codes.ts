import { CODE_PURPOSES, type CodeStore, type Sweeper } from '../../accounts/index.ts';
import type { Store } from '../sql/store.ts';

/** codeStore keeps one-time codes in a database. */
export function codeStore(store: Store): CodeStore {
  return {
    async find(hash) {
      const row = await store.read
        .selectFrom('one_time_codes')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      const purpose = CODE_PURPOSES.find((known) => known === row?.purpose);
      if (row === undefined || purpose === undefined) return null;
      const { account_id: accountId, binding, created_at: createdAt, expires_at: expiresAt } = row;
      return { hash: row.hash, purpose, accountId, binding, createdAt, expiresAt };
    },
    insert: ({ hash, purpose, accountId, binding, createdAt, expiresAt }) =>
      store.write(async (transaction) => {
        await transaction
          .insertInto('one_time_codes')
          .values({
            hash,
            purpose,
            account_id: accountId,
            binding,
            created_at: createdAt,
            expires_at: expiresAt,
          })
          .execute();
      }),
    take: (hash) =>
      store.write(async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('one_time_codes')
          .where('hash', '=', hash)
          .executeTakeFirst();
        return numDeletedRows === 1n;
      }),
    takeAll: (purpose, accountId) =>
      store.write(async (transaction) => {
        await transaction
          .deleteFrom('one_time_codes')
          .where('purpose', '=', purpose)
          .where('account_id', accountId === null ? 'is' : '=', accountId)
          .execute();
      }),
  };
}

/** accountSweeper deletes from a database what has ended. */
export function accountSweeper(store: Store): Sweeper {
  return {
    sweep: ({ now, idleSince, failuresBefore, tokensBefore }) =>
      store.write(async (transaction) => {
        await transaction
          .deleteFrom('sessions')
          .where((of) => of.or([of('expires_at', '<=', now), of('used_at', '<=', idleSince)]))
          .execute();
        await transaction.deleteFrom('one_time_codes').where('expires_at', '<=', now).execute();
        await transaction
          .deleteFrom('sign_in_failures')
          .where('last_at', '<', failuresBefore)
          .where('blocked_until', '<=', now)
          .execute();
        await transaction
          .deleteFrom('tokens')
          .where((of) => of.or([of('expires_at', '<', tokensBefore), of('revoked_at', '<', tokensBefore)]))
          .execute();
      }),
  };
}
