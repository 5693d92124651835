import { createHash, type Hash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { z } from 'zod';
import { isIpoError, parseStrictJson } from '../base/index.ts';
import { LineBlocks } from '../ledger/index.ts';
import { BackupError } from './backup-error.ts';
import {
  BACKUP_FORMAT,
  endLine,
  footer,
  FOOTER_BYTES,
  headerSchema,
  keysLine,
  tableLine,
  type BackupHeader,
  type BackupTable,
  type TableContents,
} from './format.ts';
import type { SealedKeys } from './keys.ts';

/** BackupPart is what a backup says next. `end` comes once every byte was read and found to be what was written. */
export type BackupPart =
  | { readonly part: 'header'; readonly header: BackupHeader; readonly keys: SealedKeys | null }
  | { readonly part: 'table'; readonly table: BackupTable; readonly lastId: number | null }
  | { readonly part: 'rows'; readonly table: BackupTable; readonly rows: readonly (readonly Cell[])[] }
  | {
      readonly part: 'end';
      readonly tables: readonly TableContents[];
      readonly bytes: number;
      /** Hex SHA-256 of the whole file. */
      readonly sha256: string;
    };

/** Cell is one of a row; a blob is hex. */
export type Cell = string | number | null;

/** A line is a row, and the largest cell is an archive of evidence. */
const MAX_LINE = 256 * 1024 * 1024;
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/**
 * readBackup reads the bytes of a backup. Nothing that it gives is proven before `end`: a caller that stores what it gives must undo that
 * where this throws. Throws BackupError `format` and `integrity`, and what the source throws.
 */
export async function* readBackup(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<BackupPart, void, undefined> {
  const file = new WholeFile(chunks);
  const through = createZstdDecompress({ chunkSize: 131_072 });
  const source = Readable.from(file.body(), { objectMode: false });
  pipeline(source, through, () => undefined);
  const reading = new Reading(name);
  try {
    for await (const chunk of through as AsyncIterable<Buffer>) yield* reading.take(chunk);
    const tables = reading.end();
    yield { part: 'end', tables, ...file.end(name) };
  } catch (error) {
    throw isIpoError(error) ? error : await reasonOf(error, file, name);
  } finally {
    source.destroy();
    through.destroy();
  }
}

/** What zstd says of bytes is of no help; that the file is cut or was changed is. */
async function reasonOf(error: unknown, file: WholeFile, name: string): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException;
  const isZstd = code !== undefined && /^(?:ZSTD_|Z_|ERR_STREAM_PREMATURE)/.test(code);
  if (!isZstd && !/zstd|unexpected end/i.test(String(error))) return error;
  if (!file.isZstd) return notOurs(name);
  return damaged(name, 'its compressed data cannot be read', error);
}

/** WholeFile gives the bytes of a file but for its footer, and holds them against that. */
class WholeFile {
  readonly #chunks: AsyncIterable<Uint8Array>;
  readonly #hash = createHash('sha256');
  #held: Buffer = Buffer.alloc(0);
  #bytes = 0;
  isZstd = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks;
  }

  async *body(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of this.#chunks) {
      const all = Buffer.concat([this.#held, chunk]);
      if (this.#bytes === 0 && all.length >= ZSTD.length) this.isZstd = all.subarray(0, 4).equals(ZSTD);
      const body = all.subarray(0, Math.max(0, all.length - FOOTER_BYTES));
      // A copy: the chunk belongs to the stream.
      this.#held = Buffer.from(all.subarray(body.length));
      if (body.length === 0) continue;
      this.#hash.update(body);
      this.#bytes += body.length;
      yield body;
    }
  }

  end(name: string): { readonly bytes: number; readonly sha256: string } {
    if (!this.#held.equals(footer(this.#hash.copy().digest('hex'))))
      throw damaged(name, 'its SHA-256 is not the one that it ends with');
    return {
      bytes: this.#bytes + this.#held.length,
      sha256: this.#hash.update(this.#held).digest('hex'),
    };
  }
}

/** Reading follows the lines of a backup. */
class Reading {
  readonly #name: string;
  readonly #lines = new LineBlocks(MAX_LINE);
  #header: BackupHeader | null = null;
  /** Whether the header was given. */
  #isGiven = false;
  #keys: SealedKeys | null = null;
  #table: BackupTable | null = null;
  #next = 0;
  #rows = 0;
  #hash: Hash = createHash('sha256');
  readonly #read: TableContents[] = [];
  #ended: readonly TableContents[] | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  *take(chunk: Uint8Array): Generator<BackupPart, void, undefined> {
    for (const block of this.#lines.push(chunk)) {
      for (let at = 0; at < block.length;) {
        const isRow = block[at] === '[';
        const found = block.indexOf(isRow ? '\n{' : '\n', at);
        const end = found === -1 ? block.length : found + 1;
        const text = block.slice(at, end);
        if (isRow) yield this.#takeRows(text);
        else yield* this.#takeLine(text);
        at = end;
      }
    }
    if (this.#lines.fault !== null) throw damaged(this.#name, this.#lines.fault);
  }

  end(): readonly TableContents[] {
    if (this.#header === null) throw notOurs(this.#name);
    if (this.#ended === null || this.#lines.end() !== '') throw damaged(this.#name, 'it ends too early');
    return this.#ended;
  }

  #takeRows(text: string): BackupPart {
    const table = this.#table;
    if (table === null) throw this.#header === null ? notOurs(this.#name) : this.#misplaced('a row');
    const width = Object.keys(table.columns).length;
    let rows: readonly (readonly Cell[])[];
    try {
      // A newline stands only between rows: in a text it is written as \n.
      rows = JSON.parse(`[${text.slice(0, -1).replaceAll('\n', ',')}]`) as never;
    } catch (cause) {
      throw damaged(this.#name, `a row of ${table.name} cannot be read`, cause);
    }
    if (!rows.every((row) => Array.isArray(row) && row.length === width))
      throw damaged(this.#name, `a row of ${table.name} has other columns than the table`);
    this.#hash.update(text);
    this.#rows += rows.length;
    return { part: 'rows', table, rows };
  }

  *#takeLine(text: string): Generator<BackupPart, void, undefined> {
    let value: Readonly<Record<string, unknown>>;
    try {
      value = parseStrictJson(text) as never;
    } catch (cause) {
      throw this.#header === null ? notOurs(this.#name) : damaged(this.#name, 'a line cannot be read', cause);
    }
    if (this.#ended !== null) throw this.#misplaced('a line after the end');
    if (this.#header === null) return this.#takeHeader(value);
    if (value['type'] === 'keys' && !this.#isGiven && this.#keys === null) {
      const { type: _, ...keys } = this.#parse(keysLine, value);
      this.#keys = keys;
      return;
    }
    if (!this.#isGiven) {
      this.#isGiven = true;
      yield { part: 'header', header: this.#header, keys: this.#keys };
    }
    this.#endTable();
    const table = this.#header.tables[this.#next];
    if (value['type'] === 'end') {
      const { tables } = this.#parse(endLine, value);
      if (table !== undefined) throw damaged(this.#name, `the table ${table.name} is missing`);
      this.#compare(tables);
      this.#ended = tables;
      return;
    }
    const line = this.#parse(tableLine, value);
    if (table === undefined || line.name !== table.name) throw this.#misplaced(`the table ${line.name}`);
    this.#table = table;
    this.#next += 1;
    yield { part: 'table', table, lastId: line.last_id };
  }

  #takeHeader(value: Readonly<Record<string, unknown>>): void {
    if (value['type'] !== 'header' || !/^ipo\.backup\//.test(String(value['format'])))
      throw notOurs(this.#name);
    if (value['format'] !== BACKUP_FORMAT)
      throw new BackupError(
        'format',
        `${this.#name} has the format ${String(value['format']).slice(0, 40)}; this release reads ${BACKUP_FORMAT}`,
        { hint: 'Restore it with the release that made it, or a later one' },
      );
    const { type: _, format: __, ...header } = this.#parse(headerSchema, value);
    this.#header = header;
  }

  #parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
    const read = schema.safeParse(value);
    if (!read.success) throw damaged(this.#name, 'a line is not one of a backup', read.error);
    return read.data;
  }

  #endTable(): void {
    if (this.#table !== null)
      this.#read.push({ name: this.#table.name, rows: this.#rows, sha256: this.#hash.digest('hex') });
    this.#table = null;
    this.#rows = 0;
    this.#hash = createHash('sha256');
  }

  #compare(tables: readonly TableContents[]): void {
    for (const [at, { name, rows, sha256 }] of this.#read.entries()) {
      const said = tables[at];
      if (said?.name !== name || said.rows !== rows || said.sha256 !== sha256)
        throw damaged(this.#name, `the table ${name} is not the one that was saved`);
    }
    if (tables.length !== this.#read.length) throw damaged(this.#name, 'it names tables that it lacks');
  }

  #misplaced(what: string): BackupError {
    return damaged(this.#name, `${what} stands where it does not belong`);
  }
}

function notOurs(name: string): BackupError {
  return new BackupError('format', `${name} is not a backup of ipo`, {
    hint: 'Give a file that `ipo backup create` or a scheduled backup of the service wrote',
  });
}

function damaged(name: string, why: string, cause?: unknown): BackupError {
  return new BackupError('integrity', `${name} is damaged: ${why}`, {
    hint: 'Nothing was restored. Use another copy',
    cause,
  });
}
