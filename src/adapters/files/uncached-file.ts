import { constants, open, type FileHandle } from 'node:fs/promises';

/** Bytes that are written at once. */
const PIECE = 131_072;
/** The largest block that a write past the cache has to begin at, in the file and in memory; and the steps in which memory is handed out. */
const BLOCK = 4_096;
const STEP = 16;

/**
 * writeUncached writes a new file of any length and syncs it, past the page cache where the file system can (`O_DIRECT`). Through the cache a
 * large file would wait there to be written, and the next `fsync` of a database on the same file system would wait for all of it: a review
 * with it. A file that is smaller than a piece, and the end of a larger one, go through the cache. `mode` is as of open(2). Throws what the file
 * system and the source throw.
 */
export async function writeUncached(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  mode: number,
): Promise<void> {
  const plain = await open(path, 'wx', mode);
  const memory = Buffer.alloc(PIECE + BLOCK);
  let writer: PieceWriter | null = null;
  let piece: Buffer = memory.subarray(0, PIECE);
  let held = 0;
  let position = 0;
  try {
    for await (const chunk of chunks) {
      for (let from = 0; from < chunk.length;) {
        const part = chunk.subarray(from, from + PIECE - held);
        piece.set(part, held);
        held += part.length;
        from += part.length;
        if (held < PIECE) continue;
        writer ??= await PieceWriter.open(path, plain);
        piece = await writer.write(memory, piece, position);
        position += PIECE;
        held = 0;
      }
    }
    await writeAll(plain, piece.subarray(0, held), position);
    await plain.sync();
  } finally {
    await writer?.close();
    await plain.close();
  }
}

/** PieceWriter writes whole pieces past the cache, and through it from the moment that the file system refuses. */
class PieceWriter {
  readonly #plain: FileHandle;
  #direct: FileHandle | null;
  #fits = false;

  private constructor(plain: FileHandle, direct: FileHandle | null) {
    this.#plain = plain;
    this.#direct = direct;
  }

  static async open(path: string, plain: FileHandle): Promise<PieceWriter> {
    const flag = constants.O_DIRECT as number | undefined; // only Linux has it
    const direct = flag === undefined ? null : await open(path, constants.O_WRONLY | flag).catch(refused);
    return new PieceWriter(plain, direct);
  }

  /** Writes a piece that stands in `memory`, and gives the place for the next, whose address the file system takes. */
  async write(memory: Buffer, piece: Buffer, position: number): Promise<Buffer> {
    // Where memory begins is not told: the first piece is tried at every place that can fit.
    let placed = piece;
    let start = piece.byteOffset - memory.byteOffset;
    while (this.#direct !== null) {
      const written = await writeAll(this.#direct, placed, position).then(() => true, refused);
      if (written !== null) {
        this.#fits = true;
        return placed;
      }
      if (this.#fits || start + STEP >= BLOCK) await this.close();
      else {
        memory.copyWithin(start + STEP, start, start + PIECE);
        start += STEP;
        placed = memory.subarray(start, start + PIECE);
      }
    }
    await writeAll(this.#plain, placed, position);
    return placed;
  }

  /** Writes past the cache no more. */
  async close(): Promise<void> {
    const direct = this.#direct;
    this.#direct = null;
    await direct?.close();
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let from = 0; from < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, from, bytes.length - from, position + from);
    from += bytesWritten;
  }
}

/** A file system that cannot, and an address that it does not take, are both told by EINVAL. */
function refused(error: NodeJS.ErrnoException): null {
  if (error.code === 'EINVAL') return null;
  throw error;
}
