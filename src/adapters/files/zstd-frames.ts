/** The first bytes of a frame, as a number of 32 bits; those of a frame to be skipped end in any four bits. */
const FRAME = 0xfd2fb528;
const SKIPPED = 0x184d2a50;
/** What one byte of the header says of the lengths behind it. */
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const SIZE_BYTES = [0, 2, 4, 8] as const;

/**
 * FrameEnd finds where a frame of zstd ends (RFC 8878, 3.1), chunk by chunk. What is not a frame never ends, so that the decompressor meets
 * it and says so.
 */
class FrameEnd {
  readonly #held: number[] = [];
  #wanted = 5;
  #pass = 0;
  #inBlocks = false;
  #hasChecksum = false;
  #isLast = false;

  /** The place behind the last byte of the frame, or -1 where the frame goes on behind the chunk. */
  find(chunk: Uint8Array): number {
    for (let at = 0; at < chunk.length;) {
      if (this.#pass > 0) {
        const passed = Math.min(this.#pass, chunk.length - at);
        at += passed;
        this.#pass -= passed;
      } else {
        this.#held.push(chunk[at] as number);
        at += 1;
        if (this.#held.length === this.#wanted) this.#take(this.#held);
      }
      if (this.#isLast && this.#pass === 0) return at;
    }
    return -1;
  }

  #take(bytes: number[]): void {
    if (this.#inBlocks) this.#takeBlock(little(bytes, 0, 3));
    else {
      const magic = little(bytes, 0, 4);
      if (magic === FRAME) this.#takeHeader(bytes[4] as number);
      else if ((magic & 0xfffffff0) >>> 0 !== SKIPPED) this.#pass = Infinity;
      else if (bytes.length < 8) {
        this.#wanted = 8;
        return;
      } else {
        this.#pass = little(bytes, 4, 8);
        this.#isLast = true;
      }
    }
    bytes.length = 0;
  }

  #takeHeader(descriptor: number): void {
    const isSingle = (descriptor & 0x20) !== 0;
    const size = SIZE_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3];
    const dictionary = DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];
    this.#hasChecksum = (descriptor & 4) !== 0;
    this.#pass = dictionary + (isSingle ? Math.max(1, size) : 1 + size);
    this.#inBlocks = true;
    this.#wanted = 3;
  }

  #takeBlock(header: number): void {
    const [kind, size] = [(header >> 1) & 3, header >> 3];
    this.#isLast = (header & 1) === 1;
    // 1 repeats one byte, 3 is not in use.
    const lengths = [size, 1, size, Infinity] as const;
    this.#pass = lengths[kind as 0 | 1 | 2 | 3] + (this.#isLast && this.#hasChecksum ? 4 : 0);
  }
}

function little(bytes: readonly number[], from: number, to: number): number {
  let value = 0;
  for (let at = to - 1; at >= from; at -= 1) value = value * 256 + (bytes[at] as number);
  return value;
}

/**
 * zstdFrames gives the frames of a zstd file, each as the chunks that it consists of, to be read one after another and each to its end.
 * Node's decompressor stops behind the first frame and drops the others without a word; a file has several where it was appended to.
 */
export async function* zstdFrames(
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<AsyncIterable<Uint8Array>, void, undefined> {
  const chunks = input[Symbol.asyncIterator]();
  let rest: Uint8Array | null = null;
  const next = async (): Promise<Uint8Array | null> => {
    const chunk: Uint8Array | null = rest;
    rest = null;
    if (chunk !== null) return chunk;
    for (;;) {
      const got = await chunks.next();
      if (got.done) return null;
      if (got.value.length > 0) return got.value;
    }
  };
  async function* frame(): AsyncGenerator<Uint8Array, void, undefined> {
    const end = new FrameEnd();
    for (let chunk; (chunk = await next()) !== null;) {
      const at = end.find(chunk);
      if (at === -1) yield chunk;
      else {
        if (at < chunk.length) rest = chunk.subarray(at);
        yield chunk.subarray(0, at);
        return;
      }
    }
  }
  try {
    for (let first; (first = await next()) !== null;) {
      rest = first;
      yield frame();
    }
  } finally {
    await chunks.return?.();
  }
}
