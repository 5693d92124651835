import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Deflate } from 'fflate';
import type { Scratch, Staged } from '../ports.ts';

/** How hard is compressed: the level at which our compressor is quickest and gives little away. */
const LEVEL = 3;
/** The compressor is given blocks of one size, so that its output does not depend on how the text came. */
const BLOCK = 65_536;

/** Blocks cuts bytes into blocks of one size. Each is given in the same memory: `take` copies what it needs, as `Deflate` does. A package has thousands of them. */
class Blocks {
  readonly #take: (block: Uint8Array, final: boolean) => void;
  readonly #block = new Uint8Array(BLOCK);
  #used = 0;
  constructor(take: (block: Uint8Array, final: boolean) => void) {
    this.#take = take;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#used === BLOCK) {
        this.#take(this.#block, false);
        this.#used = 0;
      }
      const part = bytes.subarray(at, at + BLOCK - this.#used);
      this.#block.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
    }
  }

  end(): void {
    this.#take(this.#block.subarray(0, this.#used), true);
  }
}

/** Sum is the size and the checksums of what was written. */
class Sum {
  readonly #hash = createHash('sha256');
  size = 0;
  crc = 0;

  take(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.crc = crc32(bytes, this.crc);
    this.size += bytes.length;
  }

  sha256(): string {
    return this.#hash.digest('hex');
  }
}

/** PackedFile writes a file of a package, compressed by the same code on every machine. */
export class PackedFile {
  readonly #name: string;
  readonly #content = new Sum();
  readonly #out: Awaited<ReturnType<Scratch['open']>>;
  readonly #blocks: Blocks;
  /** What is compressed and not written yet. */
  #waiting: Uint8Array[] = [];
  #packed = 0;
  /** Of a file that is a gzip file by itself: what went into it. */
  readonly #inner: Sum | null;

  /** `gzip` makes a gzip file, which the archive stores as it is. */
  static async open(name: string, scratch: Scratch, gzip = false): Promise<PackedFile> {
    return new PackedFile(name, await scratch.open(name), gzip);
  }

  private constructor(name: string, out: Awaited<ReturnType<Scratch['open']>>, gzip: boolean) {
    this.#name = name;
    this.#out = out;
    this.#inner = gzip ? new Sum() : null;
    const deflate = new Deflate({ level: LEVEL }, (chunk) => this.#emit(chunk));
    this.#blocks = new Blocks((block, final) => deflate.push(block, final));
    if (gzip) this.#emit(Uint8Array.of(31, 139, 8, 0, 0, 0, 0, 0, 0, 255));
  }

  async write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    if (bytes.length === 0) return;
    (this.#inner ?? this.#content).take(bytes);
    this.#blocks.push(bytes);
    await this.#flush();
  }

  async end(): Promise<Staged> {
    this.#blocks.end();
    if (this.#inner !== null) {
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(this.#inner.crc, 0);
      trailer.writeUInt32LE(this.#inner.size % 2 ** 32, 4);
      this.#emit(trailer);
    }
    await this.#flush();
    const read = await this.#out.end();
    return {
      name: this.#name,
      size: this.#content.size,
      sha256: this.#content.sha256(),
      crc: this.#content.crc,
      method: this.#inner === null ? 'deflate' : 'store',
      packed: this.#packed,
      read,
    };
  }

  #emit(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.#inner !== null) this.#content.take(chunk);
    this.#packed += chunk.length;
    this.#waiting.push(chunk);
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const chunk of waiting) await this.#out.write(chunk);
  }
}

/** packWhole packs a file whose content is at hand. */
export async function packWhole(name: string, content: string | Uint8Array): Promise<Staged> {
  const chunks: Uint8Array[] = [];
  const memory: Scratch = {
    open: async () => ({
      write: async (bytes) => void chunks.push(bytes),
      end: async () =>
        async function* read() {
          yield* chunks;
        },
    }),
  };
  const file = await PackedFile.open(name, memory);
  await file.write(content);
  return file.end();
}
