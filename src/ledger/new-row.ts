import { formatTime, isDigest } from '../base/index.ts';
import type { Fence } from '../leadership/index.ts';
import { AppendError } from './append-error.ts';
import { wholeRow, type LedgerRow } from './entry.ts';
import { MAX_ROW } from './row-shapes.ts';

/** NewRow is a row before it has its number; absent fields read as in a LedgerRow. */
export interface NewRow extends Omit<LedgerRow, 'id' | 'time' | 'review_uid'> {
  /** When it was decided: whole milliseconds since 1970 UTC. */
  readonly at: number;
}

/** LedgerEntry is what is appended whole or not at all: all rows of one review. */
export interface LedgerEntry {
  /** The review's uid, under which it is appended once; null for what no review asked for (reconcile, unreviewed). */
  readonly uid: string | null;
  /** At least one. */
  readonly rows: readonly NewRow[];
  /** The fence of a leader, without which the rows may not be appended any more; absent for what every replica may append. */
  readonly fence?: Fence;
}

/** RecordedRow is a row as it was recorded, every field present; its number is null while it waits in the spool. */
export interface RecordedRow extends Omit<LedgerRow, 'id'> {
  readonly id: number | null;
}

/** Appended answers an append. */
export interface Appended {
  readonly rows: readonly RecordedRow[];
  /** The review was there already; `rows` are those that were recorded then. */
  readonly repeat: boolean;
  /** It waits, durably, in the spool: the database did not take it in time. */
  readonly delayed: boolean;
}

/** MAX_UID_BYTES bounds a uid; the API server's have 36. */
const MAX_UID_BYTES = 512;
/** MAX_ENTRY_ROWS bounds the containers of a pod that one review may record. */
export const MAX_ENTRY_ROWS = 1024;
/** 9999-12-31T23:59:59.999Z, the last time that RFC 3339 can write. */
const MAX_TIME = 253_402_300_799_999;
/** Up to this many characters no escaping can make a row longer than an export's line may be. */
const SURELY_SHORT = Math.floor((MAX_ROW - 2048) / 6);

/** recordedRow gives a new row as the ledger reads it back: nothing absent. */
export function recordedRow(uid: string | null, { at, ...row }: NewRow, id: number | null): RecordedRow {
  return wholeRow(id, { ...row, time: formatTime(at), review_uid: uid });
}

/**
 * checkEntry refuses what could be written but not be read back from an export. Throws AppendError `invalid_request` or
 * `too_large`.
 */
export function checkEntry({ uid, rows }: LedgerEntry): void {
  if (uid !== null && Buffer.byteLength(uid) > MAX_UID_BYTES) {
    throw new AppendError('too_large', `the uid of the review is longer than ${MAX_UID_BYTES} bytes`);
  }
  if (rows.length === 0) throw new AppendError('invalid_request', 'the review has no rows to record');
  if (rows.length > MAX_ENTRY_ROWS) {
    throw new AppendError('too_large', `the review has more than ${MAX_ENTRY_ROWS} rows to record`);
  }
  for (const row of rows) checkRow(uid, row);
}

function checkRow(uid: string | null, row: NewRow): void {
  if (!Number.isSafeInteger(row.at) || row.at < 0 || row.at > MAX_TIME) {
    throw new AppendError(
      'invalid_request',
      'the time of a row is not in whole milliseconds of the years 1970 to 9999',
    );
  }
  if (row.digest !== null && row.digest !== undefined && !isDigest(row.digest)) {
    throw new AppendError(
      'invalid_request',
      'the digest of a row is not sha256: with 64 lowercase hex digits',
    );
  }
  let length = uid?.length ?? 0;
  // By key, without a list of the values: this runs for every row.
  for (const key in row) {
    const value = row[key as keyof NewRow];
    if (typeof value === 'string') length += value.length;
  }
  for (const signal of row.signals ?? []) length += signal.length + 3;
  if (length <= SURELY_SHORT) return;
  if (JSON.stringify({ type: 'row', ...recordedRow(uid, row, Number.MAX_SAFE_INTEGER) }).length > MAX_ROW) {
    throw new AppendError('too_large', `a row of the review is longer than ${MAX_ROW / 1024} KiB`);
  }
}
