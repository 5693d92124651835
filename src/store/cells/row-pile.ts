import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Values up to this many characters of JSON are kept in memory. */
const MAX_CHARS = 16 * 1024 * 1024;

/**
 * RowPile takes batches in one order and gives them in the other: the first that comes off is the last that was put on. What
 * does not fit into memory lies in a temporary file.
 */
export class RowPile<T> {
  #top: string[] = [];
  #chars = 0;
  #file: { readonly handle: FileHandle; readonly folder: string } | null = null;
  /** Where each piece begins in the file. */
  readonly #pieces: number[] = [];
  #end = 0;

  async put(batch: readonly T[]): Promise<void> {
    const text = JSON.stringify(batch);
    this.#top.push(text);
    this.#chars += text.length;
    if (this.#chars < MAX_CHARS) return;
    for (const piece of this.#top) await this.#write(Buffer.from(piece));
    this.#top = [];
    this.#chars = 0;
  }

  /** Gives the batches back, the newest first. */
  async *take(): AsyncGenerator<T[], void, undefined> {
    for (let text = this.#top.pop(); text !== undefined; text = this.#top.pop())
      yield JSON.parse(text) as T[];
    for (let from = this.#pieces.pop(); from !== undefined; from = this.#pieces.pop()) {
      const bytes = Buffer.alloc(this.#end - from);
      await this.#file?.handle.read(bytes, 0, bytes.length, from);
      this.#end = from;
      yield JSON.parse(bytes.toString('utf8')) as T[];
    }
  }

  async close(): Promise<void> {
    if (this.#file === null) return;
    await this.#file.handle.close();
    await rm(this.#file.folder, { recursive: true, force: true });
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#file === null) {
      const folder = await mkdtemp(join(tmpdir(), 'ipo-import-'));
      this.#file = { folder, handle: await open(join(folder, 'rows'), 'wx+', 0o600) };
    }
    this.#pieces.push(this.#end);
    await this.#file.handle.write(bytes, 0, bytes.length, this.#end);
    this.#end += bytes.length;
  }
}
