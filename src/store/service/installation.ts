import { randomBytes, randomInt } from 'node:crypto';
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

/**
 * signingSeed gives the 32 bytes of the key by which webhooks are signed, made with the first call and the same for every replica from then
 * on. It is kept as the addresses of webhooks are: whoever reads the database can post there anyway.
 */
export async function signingSeed(store: Store): Promise<Buffer> {
  const read = store.read.selectFrom('settings').select('value').where('key', '=', 'webhook_signing_seed');
  const there = await read.executeTakeFirst();
  if (there !== undefined) return Buffer.from(there.value, 'base64');
  const value = randomBytes(32).toString('base64');
  await store.write(async (transaction) => {
    await transaction
      .insertInto('settings')
      .values({ key: 'webhook_signing_seed', value })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
  return Buffer.from((await read.executeTakeFirstOrThrow()).value, 'base64'); // another replica may have been quicker
}
