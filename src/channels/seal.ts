import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Secret } from '../base/index.ts';
import type { DataKey } from './data-key.ts';
import type { CredentialField } from './kinds.ts';

const PREFIX = 'enc:v1:';
const NONCE = 12;
const TAG = 16;
const ALGORITHM = 'aes-256-gcm';
/** More than any credential takes: 4096 characters of up to four bytes, in base64. */
const MAX_TEXT = 32_768;

/** Place is where a box belongs; it opens nowhere else. */
export interface Place {
  readonly channelId: string;
  readonly field: CredentialField;
}

/** isBox tells a sealed value from plain text of an earlier release. */
export function isBox(value: string): boolean {
  return value.startsWith(PREFIX);
}

/**
 * seal puts a credential into a box, `enc:v1:` and Base64 of a random nonce, the ciphertext and the tag. It is AES-256-GCM, bound to the
 * channel and the field.
 */
export function seal(key: DataKey, place: Place, secret: Secret): string {
  const nonce = randomBytes(NONCE);
  const box = encrypt(key.derive('tracker-credentials'), nonce, boundTo(place), Buffer.from(secret.reveal()));
  return `${PREFIX}${Buffer.concat([nonce, box]).toString('base64')}`;
}

/** unseal opens a box where it belongs. Null for one that was changed, moved, sealed with another key, or is none. */
export function unseal(key: DataKey, place: Place, value: string): Secret | null {
  if (!isBox(value) || value.length > MAX_TEXT) return null;
  const text = value.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  // Another spelling of the same bytes is not one of our boxes.
  if (bytes.toString('base64') !== text || bytes.length < NONCE + TAG) return null;
  const opened = decrypt(
    key.derive('tracker-credentials'),
    bytes.subarray(0, NONCE),
    boundTo(place),
    bytes.subarray(NONCE),
  );
  return opened === null ? null : new Secret(opened.toString('utf8'));
}

/** Fields are a closed list without `|`, so no two places have one form whatever an id holds. */
function boundTo({ channelId, field }: Place): Buffer {
  return Buffer.from(`ipo|enc|v1|channel:${channelId}|field:${field}`);
}

/** encrypt is AES-256-GCM: key of 32 bytes, nonce of 12; gives the ciphertext with its tag of 16 bytes behind it. */
export function encrypt(key: Buffer, nonce: Buffer, bound: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG }).setAAD(bound);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** decrypt undoes encrypt. Null for whatever encrypt did not make with this key, nonce and bound text. */
export function decrypt(key: Buffer, nonce: Buffer, bound: Buffer, box: Buffer): Buffer | null {
  if (key.length !== 32 || nonce.length !== NONCE || box.length < TAG) return null;
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG });
  decipher.setAAD(bound).setAuthTag(box.subarray(box.length - TAG));
  try {
    return Buffer.concat([decipher.update(box.subarray(0, box.length - TAG)), decipher.final()]);
  } catch {
    return null;
  }
}
