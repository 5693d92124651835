import { isAscii, isUtf8 } from 'node:buffer';

/** MAX_LINE_BYTES bounds one line of an export: the facts of an image with tens of thousands of findings fit. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 10;

/** LineError says what is wrong with a line; `offset` counts the good lines of the push before it. */
export class LineError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * LineBlocks cuts byte chunks at line ends. Each `push` gives the texts of the lines that are complete, each text
 * ending in a newline. The cut is made on bytes, so a character is never split; bytes that are not UTF-8
 * are refused. The rest of an unfinished line is kept, up to MAX_LINE_BYTES.
 */
export class LineBlocks {
  #rest: Uint8Array[] = [];
  #restBytes = 0;

  /** Throws LineError. */
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
      if (this.#restBytes + from > MAX_LINE_BYTES) throw tooLong();
      blocks.push(decode(Buffer.concat([...this.#rest, buffer.subarray(0, from)])));
      this.#rest = [];
      this.#restBytes = 0;
    }
    if (from <= last) blocks.push(decode(buffer.subarray(from, last + 1), blocks.length));
    if (last + 1 < buffer.length) this.#keep(buffer.subarray(last + 1));
    return blocks;
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

function tooLong(): LineError {
  return new LineError(`the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB`, 0);
}

function decode(bytes: Buffer, linesBefore = 0): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) {
    let line = linesBefore;
    for (let at = 0, end = 0; at < bytes.length; at = end, line += 1) {
      end = bytes.indexOf(NEWLINE, at) + 1 || bytes.length;
      if (!isUtf8(bytes.subarray(at, end))) break;
    }
    throw new LineError('the text is not UTF-8', line);
  }
  return bytes.toString('utf8');
}
