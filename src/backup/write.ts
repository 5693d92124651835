import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { constants, createZstdCompress } from 'node:zlib';
import { BACKUP_FORMAT, footer, type BackupHeader, type BackupTable, type TableContents } from './format.ts';
import type { SealedKeys } from './keys.ts';

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

/** Characters that are handed on at once. */
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
  const tables: TableContents[] = [];
  for await (const _ of lines(source, null, tables, () => undefined));
  return tables;
}

async function* lines(
  source: BackupSource,
  keys: SealedKeys | null,
  tables: TableContents[],
  progress: (rows: number) => void,
): AsyncGenerator<string, void, undefined> {
  const { header } = source;
  yield line({ type: 'header', format: BACKUP_FORMAT, ...header });
  if (keys !== null) yield line({ type: 'keys', ...keys });
  let all = 0;
  for (const table of header.tables) {
    yield line({ type: 'table', name: table.name, last_id: await source.lastId(table.name) });
    const hash = createHash('sha256');
    let rows = 0;
    for await (const page of source.rows(table)) {
      const text = page.map(line).join('');
      hash.update(text);
      rows += page.length;
      yield text;
      progress((all += page.length));
    }
    tables.push({ name: table.name, rows, sha256: hash.digest('hex') });
  }
  yield line({ type: 'end', tables });
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Small tables have a few bytes each: handed on one by one they would cost a turn of the stream each. */
async function* pieces(parts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = '';
  for await (const part of parts) {
    held += part;
    if (held.length < PIECE) continue;
    yield held;
    held = '';
  }
  if (held !== '') yield held;
}
