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

/** Records is what a file of the spool holds. */
export interface Records {
  readonly entries: readonly LedgerEntry[];
  /** Records whose checksum does not hold though others follow them: the disk lost them. */
  readonly damaged: number;
  /** Bytes at the end that are no whole record: a write that was cut off, and so was never answered. */
  readonly torn: number;
}

/** decodeRecords reads the bytes of a file. It never throws: whatever is whole is given. */
export function decodeRecords(bytes: Buffer): Records {
  const entries: LedgerEntry[] = [];
  if (bytes.compare(MAGIC, 0, MAGIC.length, 0, Math.min(MAGIC.length, bytes.length)) !== 0) {
    return { entries, damaged: 0, torn: bytes.length };
  }
  let damaged = 0;
  let bad = 0;
  let torn = bytes.length - MAGIC.length;
  for (let at = MAGIC.length; at + HEAD <= bytes.length;) {
    const length = bytes.readUInt32LE(at);
    const end = at + HEAD + length;
    if (length === 0 || length > MAX_TEXT || end > bytes.length) break;
    const entry = readEntry(bytes.subarray(at + HEAD, end), bytes.readUInt32LE(at + 4));
    at = end;
    if (entry === null) bad += 1;
    else {
      entries.push(entry);
      damaged += bad;
      bad = 0;
      torn = bytes.length - end;
    }
  }
  return { entries, damaged, torn };
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
