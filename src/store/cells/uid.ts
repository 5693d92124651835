import { storableText } from '../sql/storable.ts';

/** 16 bytes are a UUID; a text that would have as many begins with a NUL, which no storable text does. */
const UUID_BYTES = 16;
const UUID_CHARS = 36;
const DASH = 45;

/** packUid writes a uid in few bytes: a lower-case UUID in 16, any other text as its UTF-8. */
export function packUid(uid: string): Buffer {
  const uuid = uid.length === UUID_CHARS ? packUuid(uid) : null;
  if (uuid !== null) return uuid;
  const text = Buffer.from(storableText(uid));
  return text.length === UUID_BYTES ? Buffer.concat([Buffer.of(0), text]) : text;
}

/** By hand, since two of them are packed for every row that is written. */
function packUuid(uid: string): Buffer | null {
  const bytes = Buffer.allocUnsafe(UUID_BYTES);
  let at = 0;
  for (let i = 0; i < UUID_CHARS; i += 2) {
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (uid.charCodeAt(i) !== DASH) return null;
      i += 1;
    }
    // Beyond the table there is nothing, which is not a digit either.
    const high = DIGITS[uid.charCodeAt(i)] as number;
    const low = DIGITS[uid.charCodeAt(i + 1)] as number;
    if (!(high >= 0 && low >= 0)) return null;
    bytes[at] = (high << 4) | low;
    at += 1;
  }
  return bytes;
}

/** The values of lower-case hex digits by their codes, -1 for any other. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code)),
);

/** unpackUid reads what packUid wrote. */
export function unpackUid(bytes: Buffer): string {
  if (bytes.length !== UUID_BYTES) return bytes.toString('utf8', bytes[0] === 0 ? 1 : 0);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
