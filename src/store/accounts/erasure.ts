import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Erasure } from '../../accounts/index.ts';
import type { Store } from '../sql/store.ts';

const DUE = 'erasure.due';
/** A reader is mostly gone after moments; one that stays is left to the next attempt. */
const TRIES = 5;
const BETWEEN = 50;

/**
 * erasureOf takes what was overwritten out of the files of a database. On SQLite `secure_delete` blanks it in the file, and the
 * write-ahead log, which keeps every page that was written since it was last emptied, is emptied.
 */
export function erasureOf(store: Store): Erasure {
  return {
    mark: async () => {
      if (store.engine === 'postgres') return;
      const value = randomBytes(8).toString('hex');
      await store.write((transaction) =>
        transaction
          .insertInto('settings')
          .values({ key: DUE, value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute(),
      );
    },
    attempt: async () => {
      if (store.engine === 'postgres') return 'server';
      const due = await store.read
        .selectFrom('settings')
        .select('value')
        .where('key', '=', DUE)
        .executeTakeFirst();
      if (due === undefined) return 'done';
      for (let left = TRIES; !(await store.forgetDeleted()); left -= 1) {
        if (left <= 1) return 'pending';
        await sleep(BETWEEN);
      }
      // What was marked meanwhile stays marked.
      await store.write((transaction) =>
        transaction.deleteFrom('settings').where('key', '=', DUE).where('value', '=', due.value).execute(),
      );
      return 'done';
    },
  };
}
