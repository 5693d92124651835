import { isUtf8 } from 'node:buffer';

/** MAX_LINE_BYTES bounds one line of an export: the facts of an image with tens of thousands of findings fit. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 10;

/**
 * LineBlocks cuts byte chunks at line ends. Each `push` gives the text of all lines that are complete, ending in a
 * newline, or an empty text. The cut is made on bytes, so a character is never split; bytes that are not UTF-8
 * are refused. The rest of an unfinished line is kept, up to MAX_LINE_BYTES.
 */
export class LineBlocks {
  #rest: Uint8Array[] = [];
  #restBytes = 0;

  /** Throws an Error whose message says what is wrong with the line that is being collected. */
  push(chunk: Uint8Array): string {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const last = buffer.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#keep(buffer);
      return '';
    }
    const head = buffer.subarray(0, last + 1);
    let block: Buffer = head;
    if (this.#restBytes > 0) {
      if (this.#restBytes + head.indexOf(NEWLINE) > MAX_LINE_BYTES) throw tooLong();
      block = Buffer.concat([...this.#rest, head]);
      this.#rest = [];
      this.#restBytes = 0;
    }
    if (last + 1 < buffer.length) this.#keep(buffer.subarray(last + 1));
    return decode(block);
  }

  /** The last line, where the file does not end in a newline. */
  end(): string {
    const rest = Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    return decode(rest);
  }

  #keep(bytes: Uint8Array): void {
    this.#restBytes += bytes.length;
    if (this.#restBytes > MAX_LINE_BYTES) throw tooLong();
    this.#rest.push(Buffer.from(bytes)); // a copy: the chunk belongs to the stream
  }
}

function tooLong(): Error {
  return new Error(`the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB`);
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Error('the text is not UTF-8');
  return bytes.toString('utf8');
}
