import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { z } from 'zod';
import type { Secret } from '../base/index.ts';
import { BackupError } from './backup-error.ts';
import { BACKUP_FORMAT, type BackupHeader, type keysLine } from './format.ts';

/** KEY_NAMES are the keys that a backup can hold, and the files that a restore writes them into. */
export const KEY_NAMES = {
  data_key: 'data-key',
  ledger_key: 'ledger-key.pem',
  evidence_key: 'evidence-key.pem',
} as const;

/** BackupKey is a key of the installation, which no database holds. */
export interface BackupKey {
  readonly name: keyof typeof KEY_NAMES;
  readonly value: string;
}

/** SealedKeys is how keys stand in a backup. */
export type SealedKeys = Omit<z.output<typeof keysLine>, 'type'>;

/** 64 MiB for each of two passes, as OWASP recommends for scrypt. */
const COST = { n: 65_536, r: 8, p: 2 } as const;
const SALT = 16;
const NONCE = 12;
const TAG = 16;

const derive = promisify(
  (
    passphrase: string,
    salt: Buffer,
    { n, r, p }: typeof COST,
    done: (error: Error | null, key: Buffer) => void,
  ) => scrypt(passphrase, salt, 32, { N: n, r, p, maxmem: 256 * n * r }, done),
);

/** sealKeys seals keys under a passphrase: scrypt and AES-256-GCM, bound to the backup that they stand in. */
export async function sealKeys(
  keys: readonly BackupKey[],
  passphrase: Secret,
  header: BackupHeader,
): Promise<SealedKeys> {
  const [salt, nonce] = [randomBytes(SALT), randomBytes(NONCE)];
  const key = await derive(passphrase.reveal().normalize('NFC'), salt, COST);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG }).setAAD(boundTo(header));
  const plain = JSON.stringify(Object.fromEntries(keys.map(({ name, value }) => [name, value])));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const [a, b, c] = [salt, nonce, sealed].map((bytes) => bytes.toString('base64'));
  return { kdf: 'scrypt', ...COST, salt: a ?? '', nonce: b ?? '', sealed: c ?? '' };
}

/** openKeys opens them. Throws BackupError: `bad_credentials` for another passphrase, `format` for a cost that none of ours has. */
export async function openKeys(
  sealed: SealedKeys,
  passphrase: Secret,
  header: BackupHeader,
): Promise<readonly BackupKey[]> {
  // Other costs could take any memory and any time.
  if (sealed.n !== COST.n || sealed.r !== COST.r || sealed.p !== COST.p)
    throw new BackupError('format', 'the keys of the backup are sealed in a way that ipo does not know');
  const [salt, nonce, box] = [sealed.salt, sealed.nonce, sealed.sealed].map((text) =>
    Buffer.from(text, 'base64'),
  ) as [Buffer, Buffer, Buffer];
  const key = await derive(passphrase.reveal().normalize('NFC'), salt, COST);
  let plain: string;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
    decipher.setAAD(boundTo(header)).setAuthTag(box.subarray(-TAG));
    plain = Buffer.concat([decipher.update(box.subarray(0, -TAG)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new BackupError('bad_credentials', 'the passphrase does not open the keys of the backup', {
      hint: 'Nothing was written. Set IPO_BACKUP_PASSPHRASE to the passphrase that the backup was made with',
      cause,
    });
  }
  const found = JSON.parse(plain) as Record<string, unknown>;
  return (Object.keys(KEY_NAMES) as (keyof typeof KEY_NAMES)[]).flatMap((name) => {
    const value = found[name];
    return typeof value === 'string' ? [{ name, value }] : [];
  });
}

function boundTo({ created_at: at, installation }: BackupHeader): Buffer {
  return Buffer.from(JSON.stringify([BACKUP_FORMAT, 'keys', at, installation]));
}
