import { randomBytes } from 'node:crypto';
import { randomLetters } from '../../base/index.ts';
import type { Store } from '../sql/store.ts';

/** installationId gives the id of this installation, made with the first call and the same for every replica from then on. */
export function installationId(store: Store): Promise<string> {
  return madeOnce(store, 'installation_id', () => randomLetters(16));
}

/**
 * signingSeed gives the 32 bytes of the key by which webhooks are signed, made with the first call and the same for every replica from then
 * on. It is kept as the addresses of webhooks are: anyone who reads the database can post there anyway.
 */
export async function signingSeed(store: Store): Promise<Buffer> {
  const seed = await madeOnce(store, 'webhook_signing_seed', () => randomBytes(32).toString('base64'));
  return Buffer.from(seed, 'base64');
}

/** firstTime gives when something was asked for the first time, in UTC milliseconds: now, if it is now. */
export async function firstTime(store: Store, what: string, now: number): Promise<number> {
  return Number(await madeOnce(store, `first_time.${what}`, () => String(now)));
}

async function madeOnce(store: Store, key: string, make: () => string): Promise<string> {
  const read = store.read.selectFrom('settings').select('value').where('key', '=', key);
  const there = await read.executeTakeFirst();
  if (there !== undefined) return there.value;
  const value = make();
  await store.write(async (transaction) => {
    await transaction
      .insertInto('settings')
      .values({ key, value })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
  return (await read.executeTakeFirstOrThrow()).value; // another replica may have been quicker
}
