import type { Selectable } from 'kysely';
import { NO_FAILURES, type Failures, type FailureStore } from '../../accounts/index.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';

/** failureStore counts failed sign-ins in a database, for all replicas. */
export function failureStore(store: Store): FailureStore {
  return {
    async read(keys) {
      const rows = await store.read
        .selectFrom('sign_in_failures')
        .selectAll()
        .where('key', 'in', [...keys])
        .execute();
      return keys.map((key) => {
        const row = rows.find((found) => found.key === key);
        return row === undefined ? NO_FAILURES : toFailures(row);
      });
    },
    change: (key, change) =>
      store.write(async (transaction) => {
        // Writing the row first locks it on both engines, so that changes at once happen in a row.
        const row = await transaction
          .insertInto('sign_in_failures')
          .values({ key, failures: 0, last_at: 0, blocked_until: 0 })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ key }))
          .returningAll()
          .executeTakeFirstOrThrow();
        const before = toFailures(row);
        const after = change(before);
        if (after.failures === 0)
          await transaction.deleteFrom('sign_in_failures').where('key', '=', key).execute();
        else if (after !== before) {
          await transaction
            .updateTable('sign_in_failures')
            .set({ failures: after.failures, last_at: after.lastAt, blocked_until: after.blockedUntil })
            .where('key', '=', key)
            .execute();
        }
        return { before, after };
      }),
    clear: (key) =>
      store.write(async (transaction) => {
        await transaction.deleteFrom('sign_in_failures').where('key', '=', key).execute();
      }),
  };
}

function toFailures(row: Selectable<Tables['sign_in_failures']>): Failures {
  return { failures: row.failures, lastAt: row.last_at, blockedUntil: row.blocked_until };
}
