import { isIpoError, JsonKeyError, parseStrictJson } from '../base/index.ts';
import { parseImageFacts, type ImageFacts } from '../facts/index.ts';
import {
  LedgerError,
  parseHeader,
  parsePolicyLine,
  type ExportHeader,
  type RecordedPolicy,
} from './export-format.ts';
import { LineBlocks } from './lines.ts';
import { parseSeal, type ExportSeal } from './range-proof.ts';
import { cutBatch, emptyBatch, RowShapes, type MutableBatch, type RowBatch } from './row-shapes.ts';

/** What stands before the rows is held whole, so it is bounded: a million findings fit. */
const MAX_HEAD_CHARS = 256 * 1024 * 1024;

/** LedgerExport is an opened export: everything before its rows, and the rows as a stream. */
export interface LedgerExport {
  readonly file: string;
  readonly header: ExportHeader;
  readonly policies: readonly RecordedPolicy[];
  /** By digest. */
  readonly images: ReadonlyMap<string, ImageFacts>;
  /** The signed checkpoint of the last line; null where there is none, and until the rows were read to the end. */
  readonly seal: ExportSeal | null;
  /**
   * The rows, newest first, to be walked once. A caller that has enough stops: what was not read is not checked. Read to the end, the
   * counts of the header are held against the lines. Throws LedgerError.
   */
  rows(): AsyncGenerator<RowBatch, void, undefined>;
  /** Lets the source go without reading on. */
  close(): Promise<void>;
}

/** ReadOptions say what is wanted of the rows. */
export interface ReadOptions {
  /** Every field of every row, for callers that copy them: `shapes[i]` is row i itself. A replay does not need it. */
  readonly whole?: boolean;
}

/**
 * readExport opens an export from its bytes (already decompressed). It reads to the first row; memory is bounded
 * by the images and policies, not by the rows. Throws LedgerError for a damaged line, with its number, the reason
 * and how many lines were good.
 */
export async function readExport(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  options: ReadOptions = {},
): Promise<LedgerExport> {
  const reader = new ExportReader(chunks, file, options.whole === true);
  await reader.readHead();
  return reader;
}

class ExportReader implements LedgerExport {
  readonly file: string;
  readonly policies: RecordedPolicy[] = [];
  readonly images = new Map<string, ImageFacts>();
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #lines = new LineBlocks();
  #header: ExportHeader | null = null;
  #line = 0;
  #block = '';
  #waiting: readonly string[] = [];
  #ended = false;
  #headChars = 0;
  #rowCount = 0;
  #lastId = Infinity;
  #seal: ExportSeal | null = null;
  /** The damage behind rows that are still to be given: a caller that stops before it never meets it. */
  #damage: unknown = null;
  readonly #shapes: RowShapes;
  readonly #head: MutableBatch = emptyBatch();

  constructor(chunks: AsyncIterable<Uint8Array>, file: string, whole: boolean) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.file = file;
    this.#shapes = new RowShapes(whole);
  }

  get seal(): ExportSeal | null {
    return this.#seal;
  }

  get header(): ExportHeader {
    if (this.#header === null) throw new Error('the head of the export was not read');
    return this.#header;
  }

  /** Reads up to and with the block that holds the first row. */
  async readHead(): Promise<void> {
    try {
      while (this.#head.ids.length === 0 && (await this.#nextBlock())) this.#parseBlock(this.#head);
      if (this.#header === null) {
        throw this.#fault('empty', 'the file is empty: not a ledger export');
      }
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async *rows(): AsyncGenerator<RowBatch, void, undefined> {
    try {
      if (this.#head.ids.length > 0) yield this.#head;
      while (this.#damage === null && (await this.#nextBlock())) {
        const batch = emptyBatch();
        this.#parseBlock(batch);
        if (batch.ids.length > 0) yield batch;
      }
      if (this.#damage !== null) throw this.#damage;
      this.#checkCounts();
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #nextBlock(): Promise<boolean> {
    for (;;) {
      const [block, ...waiting] = this.#waiting;
      if (block !== undefined) {
        this.#block = block;
        this.#waiting = waiting;
        return true;
      }
      if (this.#lines.fault !== null) {
        this.#line += 1;
        throw this.#fault('damaged', this.#lines.fault);
      }
      if (this.#ended) return false;
      let next: IteratorResult<Uint8Array, unknown>;
      try {
        next = await this.#chunks.next();
      } catch (error) {
        if (!isIpoError(error) || (error.code !== 'damaged' && error.code !== 'truncated')) throw error;
        this.#line += 1;
        throw this.#fault(error.code, error.message, error);
      }
      if (next.done) {
        this.#ended = true;
        this.#waiting = [this.#lines.end()].filter((text) => text !== '');
      } else this.#waiting = this.#lines.push(next.value);
    }
  }

  #parseBlock(into: MutableBatch): void {
    const block = this.#block;
    const length = block.length;
    for (let at = 0; at < length && this.#damage === null;) {
      const newline = block.indexOf('\n', at);
      const end = newline === -1 ? length : newline;
      this.#line += 1;
      const rows = into.ids.length;
      try {
        this.#takeLine(block, at, end, into);
      } catch (error) {
        if (rows === 0) throw error;
        cutBatch(into, rows);
        this.#damage = error;
      }
      at = end + 1;
    }
    this.#block = '';
  }

  #takeLine(block: string, from: number, to: number, into: MutableBatch): void {
    const before = into.ids.length;
    try {
      const mayBeKnown = this.#rowCount > 0 && this.#seal === null;
      if (!mayBeKnown || !this.#shapes.takeKnown(block, from, to, into)) {
        const value = this.#parseLine(block.slice(from, to));
        if (value.type !== 'row' || this.#header === null || this.#seal !== null) {
          this.#parseOther(value, to - from);
          return;
        }
        this.#shapes.takeParsed(value, block, from, to, into);
      }
      const id = into.ids[before] as number;
      if (id >= this.#lastId)
        throw new Error(`row ${id} stands after row ${this.#lastId}; rows come newest first, each once`);
      this.#lastId = id;
      this.#rowCount += 1;
    } catch (error) {
      if (error instanceof LedgerError) throw error;
      throw this.#fault('damaged', (error as Error).message, error);
    }
  }

  #parseLine(text: string): Readonly<Record<string, unknown>> {
    let value: unknown;
    try {
      value = parseStrictJson(text);
    } catch (error) {
      if (error instanceof JsonKeyError) throw this.#fault('damaged', error.message, error);
      if (this.#header === null && POLICY.test(text))
        throw this.#fault('format', 'this is not a ledger export; it looks like a policy', error);
      if (text.trim() === '') throw this.#fault('damaged', 'the line is empty', error);
      throw this.#ended && this.#block.endsWith(text)
        ? this.#fault('truncated', 'the file ends in the middle of this line', error)
        : this.#fault('damaged', 'the line is not JSON', error);
    }
    if (value === null || typeof value !== 'object')
      throw this.#fault('damaged', 'the line is not a JSON object');
    return value as Readonly<Record<string, unknown>>;
  }

  #parseOther(value: Readonly<Record<string, unknown>>, length: number): void {
    if (this.#header === null) {
      try {
        this.#header = parseHeader(value);
      } catch (error) {
        throw this.#fault('format', (error as Error).message, error);
      }
      return;
    }
    if (this.#seal !== null) throw new Error('a line follows the checkpoint, which is the last');
    switch (value.type) {
      case 'policy':
      case 'image': {
        if (this.#rowCount > 0) throw new Error(`a ${value.type} line stands after the first row`);
        if (value.type === 'policy') {
          this.policies.push(parsePolicyLine(value));
          return;
        }
        const facts = parseImageFacts(value);
        const digest = facts.digest ?? '';
        this.#headChars += length;
        if (this.#headChars > MAX_HEAD_CHARS)
          throw new Error('the policies and images take more than 256 MiB');
        if (this.images.has(digest)) throw new Error(`the facts of ${digest} are written twice`);
        this.images.set(digest, facts);
        return;
      }
      case 'checkpoint':
        this.#seal = parseSeal(value);
        return;
      case 'header':
        throw new Error('a second header');
      default:
        throw new Error('the line has no type that this release knows (policy, image, row, checkpoint)');
    }
  }

  #checkCounts(): void {
    const { rows, images } = this.header;
    for (const [found, said, noun] of [
      [this.#rowCount, rows, 'rows'],
      [this.images.size, images, 'images'],
    ] as const) {
      if (said !== null && said !== found) {
        this.#line += 1;
        throw this.#fault(
          found < said ? 'truncated' : 'damaged',
          `the header announces ${said} ${noun}, but the file contains ${found}`,
        );
      }
    }
  }

  #fault(code: 'damaged' | 'truncated' | 'format' | 'empty', message: string, cause?: unknown): LedgerError {
    return new LedgerError(
      code,
      message,
      { file: this.file, line: Math.max(1, this.#line) },
      HINTS[code],
      cause,
    );
  }
}

/** How a file of policies begins that was given as the ledger. */
const POLICY = /^(?:#|---|apiVersion:|kind:|metadata:)/;

const NO_EXPORT = 'Give a ledger export: NDJSON that begins with its header, plain or compressed';
const HINTS = {
  truncated: 'The export was cut off; export the ledger again',
  format: NO_EXPORT,
  empty: NO_EXPORT,
  damaged: 'Nothing was taken from the file; export the ledger again',
} as const;
