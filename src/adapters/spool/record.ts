import { crc32 } from 'node:zlib';
import type { LedgerEntry } from '../../ledger/index.ts';

/** MAGIC begins every file of the spool. */
export const MAGIC = Buffer.from('ipo.spool/1\n');
/** Length of the text and its CRC-32, both as little-endian numbers of four bytes. */
const HEAD = 8;
/** No record is longer, since the whole spool is not. */
const MAX_TEXT = 64 * 1024 * 1024;

/** encodeRecord writes an entry as a record: length, checksum, JSON. */
export function encodeRecord(entry: LedgerEntry): Buffer {
  const text = Buffer.from(JSON.stringify({ uid: entry.uid, rows: entry.rows }));
  const record = Buffer.allocUnsafe(HEAD + text.length);
  record.writeUInt32LE(text.length, 0);
  record.writeUInt32LE(crc32(text), 4);
  text.copy(record, HEAD);
  return record;
}

/** Every text begins so; where it stands, a record begins eight bytes before. */
const START = Buffer.from('{"uid":');

/** Records is what a file of the spool holds. */
export interface Records {
  readonly entries: readonly LedgerEntry[];
  /** Places where the disk lost something that may have been answered; what follows them was read all the same. */
  readonly damaged: number;
  /** Bytes at the end that are not a whole record: a write that was cut off, and so was never answered. */
  readonly torn: number;
}

/**
 * decodeRecords reads the bytes of a file. It never throws: whatever is whole is given, also behind damage, whose extent its own length
 * cannot tell; a record of which only the length was lost is given too.
 */
export function decodeRecords(bytes: Buffer): Records {
  const entries: LedgerEntry[] = [];
  if (bytes.length < MAGIC.length) return { entries, damaged: 0, torn: bytes.length };
  let damaged = bytes.subarray(0, MAGIC.length).equals(MAGIC) ? 0 : 1;
  let at = MAGIC.length;
  while (at < bytes.length) {
    const whole = readRecord(bytes, at);
    if (whole !== null) {
      entries.push(whole.entry);
      at = whole.end;
      continue;
    }
    const next = nextRecord(bytes, at + 1);
    const end = next ?? bytes.length;
    const text = bytes.subarray(Math.min(at + HEAD, end), end);
    const rescued = text.length > 0 ? readEntry(text, bytes.readUInt32LE(at + 4)) : null;
    if (rescued !== null) entries.push(rescued);
    else if (next === null && isCutOff(bytes, at)) return { entries, damaged, torn: bytes.length - at };
    damaged += 1;
    at = end;
  }
  return { entries, damaged, torn: 0 };
}

/** The record that begins at a place, or null when none does. */
function readRecord(bytes: Buffer, at: number): { readonly entry: LedgerEntry; readonly end: number } | null {
  if (at < 0 || at + HEAD > bytes.length) return null;
  const length = bytes.readUInt32LE(at);
  const end = at + HEAD + length;
  if (length === 0 || length > MAX_TEXT || end > bytes.length) return null;
  const entry = readEntry(bytes.subarray(at + HEAD, end), bytes.readUInt32LE(at + 4));
  return entry === null ? null : { entry, end };
}

/** Where the next whole record begins, or null. */
function nextRecord(bytes: Buffer, from: number): number | null {
  for (let text = bytes.indexOf(START, from + HEAD); text !== -1; text = bytes.indexOf(START, text + 1)) {
    if (readRecord(bytes, text - HEAD) !== null) return text - HEAD;
  }
  return null;
}

/** Whether the end of a file is a record that was not written to its end, and not one that changed afterwards. */
function isCutOff(bytes: Buffer, at: number): boolean {
  if (at + HEAD > bytes.length) return true;
  return at + HEAD + bytes.readUInt32LE(at) > bytes.length;
}

function readEntry(text: Buffer, checksum: number): LedgerEntry | null {
  if (crc32(text) !== checksum) return null;
  try {
    const entry = JSON.parse(text.toString('utf8')) as LedgerEntry;
    return typeof entry.uid === 'string' && Array.isArray(entry.rows) && entry.rows.length > 0 ? entry : null;
  } catch {
    return null;
  }
}
