import { randomInt } from 'node:crypto';
import type { Store } from '../sql/store.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** installationId gives the id of this installation, made with the first call and the same for every replica from then on. */
export async function installationId(store: Store): Promise<string> {
  const read = store.read.selectFrom('settings').select('value').where('key', '=', 'installation_id');
  const there = await read.executeTakeFirst();
  if (there !== undefined) return there.value;
  const value = Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  await store.write(async (transaction) => {
    await transaction
      .insertInto('settings')
      .values({ key: 'installation_id', value })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
  return (await read.executeTakeFirstOrThrow()).value; // another replica may have been quicker
}
