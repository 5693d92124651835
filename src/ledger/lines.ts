import { isAscii, isUtf8 } from 'node:buffer';

/** MAX_LINE_BYTES bounds one line of an export: the facts of an image with tens of thousands of findings fit. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 10;

/**
 * LineBlocks cuts byte chunks at line ends. Each `push` gives the texts of the lines that are complete, each text
 * ending in a newline. The cut is made on bytes, so a character is never split. The rest of an unfinished line is kept,
 * up to a maximum. A line that cannot be read ends it: the lines before it are given, and `fault` says what is wrong
 * with the next one, so that it makes no difference how the bytes were cut into chunks.
 */
export class LineBlocks {
  readonly #max: number;
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #fault: string | null = null;

  /** `max` bounds a line in bytes. */
  constructor(max = MAX_LINE_BYTES) {
    this.#max = max;
  }

  /** What is wrong with the line after those that were given, or null. */
  get fault(): string | null {
    return this.#fault;
  }

  push(chunk: Uint8Array): readonly string[] {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const last = buffer.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#keep(buffer);
      return [];
    }
    const blocks: string[] = [];
    let from = 0;
    if (this.#restBytes > 0) {
      // The line that the last chunk began is a block of its own, so that the rest is not copied for it.
      from = buffer.indexOf(NEWLINE) + 1;
      this.#keep(buffer.subarray(0, from));
      blocks.push(this.end());
    }
    if (this.#fault === null && from <= last) blocks.push(this.#decode(buffer.subarray(from, last + 1)));
    if (this.#fault === null && last + 1 < buffer.length) this.#keep(buffer.subarray(last + 1));
    return blocks.filter((text) => text !== '');
  }

  /** The line that is being collected: the last one, where the file does not end in a newline. */
  end(): string {
    if (this.#fault !== null) return '';
    const rest = Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    return this.#decode(rest);
  }

  #keep(bytes: Uint8Array): void {
    this.#restBytes += bytes.length;
    if (this.#restBytes > this.#max) {
      this.#fault = `the line is longer than ${this.#max / 1024 / 1024} MiB`;
      this.#rest = [];
    } else this.#rest.push(Buffer.from(bytes)); // a copy: the chunk belongs to the stream
  }

  #decode(bytes: Buffer): string {
    if (isAscii(bytes)) return bytes.toString('latin1');
    if (isUtf8(bytes)) return bytes.toString('utf8');
    this.#fault = 'the text is not UTF-8';
    let good = 0;
    for (let end = 0; end < bytes.length; good = end) {
      end = bytes.indexOf(NEWLINE, good) + 1 || bytes.length;
      if (!isUtf8(bytes.subarray(good, end))) break;
    }
    return bytes.toString('utf8', 0, good);
  }
}
