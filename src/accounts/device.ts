import { createHmac, hash } from 'node:crypto';
import { DAY_MS } from '../base/index.ts';
import type { Account } from './account.ts';
import { makeId } from './make-secret.service.ts';
import { sameDigest } from './secret.ts';

/** DEVICE_LIFE is how long a device is known after a sign-in from it, in milliseconds. */
export const DEVICE_LIFE = 90 * DAY_MS;

/** MAX_DEVICE is how many characters the mark of a device may have; none of ours has more. */
export const MAX_DEVICE = 120;

const SHAPE = /^([a-z2-7]{16})\.(\d{1,16})\.([\w-]{43})$/;

type Person = Pick<Account, 'id' | 'passwordHash'>;

/**
 * makeDevice gives a mark that shows later that somebody signed in from here as this account: nothing is kept of it. It is made under the
 * salt and the hash of the password, which never leave the database, so that another password ends all of them; it is not a credential.
 * Null for an account without a password.
 */
export function makeDevice(account: Person, now: number): string | null {
  if (account.passwordHash === null) return null;
  const id = makeId();
  return `${id}.${now}.${macOf(account.id, account.passwordHash, id, String(now)).toString('base64url')}`;
}

/**
 * deviceKey is under which failures from a known device are counted; null where the mark is not one of this account, or too old. What no
 * account has costs the same work.
 */
export function deviceKey(mark: string | null, account: Person | null, now: number): string | null {
  const [, id = '', at = '', mac = ''] = (mark !== null && SHAPE.exec(mark)) || [];
  const wanted = macOf(account?.id ?? '', account?.passwordHash ?? '', id, at);
  const same = sameDigest(wanted, Buffer.from(mac, 'base64url'));
  const age = now - Number(at);
  if (
    !same ||
    (account?.passwordHash ?? null) === null ||
    account === null ||
    age < -DAY_MS ||
    age >= DEVICE_LIFE
  )
    return null;
  return `device:${hash('sha256', `${account.id} ${id}`)}`;
}

function macOf(accountId: string, passwordHash: string, id: string, at: string): Buffer {
  return createHmac('sha256', `ipo device\n${passwordHash}`).update(`${accountId}\n${id}\n${at}`).digest();
}
