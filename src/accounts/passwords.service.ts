import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { sameDigest } from './secret.ts';
import {
  ARGON2,
  formatPhc,
  HASH_BYTES,
  isOutdated,
  parsePhc,
  SALT_BYTES,
  type Argon2Parameters,
} from './phc.ts';
import { normalisePassword } from './password-rules.ts';

/** Passwords hash and verify; each call is one run of argon2id. Callers take turns, since a run needs 19 MiB. */
export interface Passwords {
  /** Gives the PHC string of a password that has passed the rules. */
  hash(password: string): Promise<string>;
  /**
   * Tells whether a password belongs to a hash, and whether that hash is outdated. Without a hash (no such account, or one without a
   * password) it does the same work and says no.
   */
  verify(password: string, phc: string | null): Promise<{ readonly ok: boolean; readonly outdated: boolean }>;
}

const run = promisify(argon2);

/** openPasswords makes the hasher. */
export function openPasswords(parameters: Argon2Parameters = ARGON2): Passwords {
  const dummy = { ...parameters, salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) };
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await derive(password, salt, parameters, HASH_BYTES);
      return formatPhc({ ...parameters, salt, hash });
    },
    async verify(password, phc) {
      const known = phc === null ? null : parsePhc(phc);
      const against = known ?? dummy;
      const derived = await derive(password, against.salt, against, against.hash.length);
      const same = sameDigest(derived, against.hash);
      return { ok: same && known !== null, outdated: isOutdated(against, parameters) };
    },
  };
}

function derive(
  password: string,
  nonce: Buffer,
  parameters: Argon2Parameters,
  tagLength: number,
): Promise<Buffer> {
  return run('argon2id', { message: normalisePassword(password), nonce, tagLength, ...parameters });
}
