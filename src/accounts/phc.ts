/** Argon2Parameters say how much work a hash is: memory in KiB, passes over it, lanes. */
export interface Argon2Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** PasswordHash is an argon2id hash with what made it. */
export interface PasswordHash extends Argon2Parameters {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** ARGON2 are the parameters in use: 19 MiB, two passes, as OWASP asks at least; about 50 ms. */
export const ARGON2: Argon2Parameters = { memory: 19_456, passes: 2, parallelism: 1 };

/** HASH_BYTES and SALT_BYTES are the lengths of what is made. */
export const HASH_BYTES = 32;
export const SALT_BYTES = 16;

/** The most that a stored hash may ask for: a hash that was written by others must not take the memory of the service. */
const MOST: Argon2Parameters = { memory: 262_144, passes: 16, parallelism: 8 };

/** formatPhc writes a hash as a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`, base64 without padding. */
export function formatPhc({ memory, passes, parallelism, salt, hash }: PasswordHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** parsePhc reads a PHC string of argon2id; null when it is none, or asks for more work than is sane. */
export function parsePhc(text: string): PasswordHash | null {
  const [, m, t, p, salt = '', hash = ''] =
    /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(
      text,
    ) ?? [];
  if (m === undefined) return null;
  const parsed = {
    memory: Number(m),
    passes: Number(t),
    parallelism: Number(p),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
  const { memory, passes, parallelism } = parsed;
  const sane =
    memory <= MOST.memory &&
    memory >= 8 * parallelism &&
    passes >= 1 &&
    passes <= MOST.passes &&
    parallelism >= 1 &&
    parallelism <= MOST.parallelism;
  return sane && formatPhc(parsed) === text ? parsed : null;
}

/** isOutdated tells a hash that was made with other parameters than those in use. */
export function isOutdated(parsed: PasswordHash, current: Argon2Parameters): boolean {
  return (
    parsed.memory !== current.memory ||
    parsed.passes !== current.passes ||
    parsed.parallelism !== current.parallelism ||
    parsed.hash.length !== HASH_BYTES ||
    parsed.salt.length !== SALT_BYTES
  );
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
