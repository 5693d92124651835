import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { constants, createZstdCompress } from 'node:zlib';
import { BACKUP_FORMAT, footer, type BackupHeader, type BackupTable, type TableContents } from './format.ts';
import type { SealedKeys } from './keys.ts';
import type { BackupPart, Cell } from './read.ts';

/** BackupSource is one moment of a database. */
export interface BackupSource {
  readonly header: BackupHeader;
  /** The last number that the database counted for a table; null where it counts none. */
  lastId(table: string): Promise<number | null>;
  /** All rows of a table in pages, in the order of its key; blobs as hex. */
  rows(table: BackupTable): AsyncIterable<readonly (readonly unknown[])[]>;
}

/** Written is what was written, once the last byte is out. */
export interface Written {
  readonly bytes: number;
  /** Hex SHA-256 of the whole file. */
  readonly sha256: string;
  readonly tables: readonly TableContents[];
}

/** Bytes that are handed on at once. */
const PIECE = 131_072;

/**
 * writeBackup gives the bytes of a backup: lines of JSON in one zstd frame, and behind it the SHA-256 of that frame. `done` is told of what
 * was written; `progress` of the rows so far.
 */
export async function* writeBackup(
  source: BackupSource,
  keys: SealedKeys | null,
  done: (written: Written) => void,
  progress: (rows: number) => void = () => undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const tables: TableContents[] = [];
  const text = Readable.from(pieces(lines(source, keys, tables, progress)), { objectMode: false });
  const frame = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  // What goes wrong in the source ends the frame with it, and is thrown by its reader.
  pipeline(text, frame, () => undefined);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of frame as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  const end = footer(hash.copy().digest('hex'));
  hash.update(end);
  yield end;
  done({ bytes: bytes + end.length, sha256: hash.digest('hex'), tables });
}

/** tableContents reads every table of a source, and gives what each holds. */
export async function tableContents(source: BackupSource): Promise<readonly TableContents[]> {
  for await (const part of copyParts(source)) if (part.part === 'end') return part.tables;
  return [];
}

/**
 * copyParts gives what `readBackup` would give of a backup of a source, without writing one. There is no file, so `end` has neither bytes nor
 * their digest.
 */
export async function* copyParts(source: BackupSource): AsyncGenerator<BackupPart, void, undefined> {
  const { header } = source;
  yield { part: 'header', header, keys: null };
  const tables: TableContents[] = [];
  for (const table of header.tables) {
    yield { part: 'table', table, lastId: await source.lastId(table.name) };
    const hash = createHash('sha256');
    let count = 0;
    for await (const page of source.rows(table)) {
      hash.update(toLines(...page));
      count += page.length;
      yield { part: 'rows', table, rows: page as readonly (readonly Cell[])[] };
    }
    tables.push({ name: table.name, rows: count, sha256: hash.digest('hex') });
  }
  yield { part: 'end', tables, bytes: 0, sha256: '' };
}

async function* lines(
  source: BackupSource,
  keys: SealedKeys | null,
  tables: TableContents[],
  progress: (rows: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const { header } = source;
  yield toLines({ type: 'header', format: BACKUP_FORMAT, ...header });
  if (keys !== null) yield toLines({ type: 'keys', ...keys });
  let all = 0;
  for (const table of header.tables) {
    yield toLines({ type: 'table', name: table.name, last_id: await source.lastId(table.name) });
    const hash = createHash('sha256');
    let rows = 0;
    for await (const page of source.rows(table)) {
      const bytes = toLines(...page);
      hash.update(bytes);
      rows += page.length;
      yield bytes;
      progress((all += page.length));
    }
    tables.push({ name: table.name, rows, sha256: hash.digest('hex') });
  }
  yield toLines({ type: 'end', tables });
}

/** Bytes rather than text: the heap would grow by a text that waits to be compressed. */
function toLines(...values: readonly unknown[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}

/** Small tables have a few bytes each: handed on one by one they would cost a turn of the stream each. */
async function* pieces(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const part of parts) {
    held.push(part);
    size += part.length;
    if (size < PIECE) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}
