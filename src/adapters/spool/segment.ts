import { open, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { keepOwner } from './owner.ts';
import { MAGIC } from './record.ts';

/** Segment is one file of the spool. Records are appended only to the newest; it goes when none of its entries waits. */
export class Segment {
  readonly path: string;
  /** Entries of it that wait. */
  entries: number;
  /** Bytes on the disk. */
  size: number;
  #file: FileHandle | null;

  constructor(path: string, entries: number, size: number, file: FileHandle | null) {
    this.path = path;
    this.entries = entries;
    this.size = size;
    this.#file = file;
  }

  /** Whether more can be appended. */
  get open(): boolean {
    return this.#file !== null;
  }

  /** Makes a new file that a crash cannot take away. */
  static async make(path: string): Promise<Segment> {
    const file = await open(path, 'ax', 0o600);
    try {
      await keepOwner(path);
      await file.write(MAGIC);
      await file.datasync();
      await syncDirectory(dirname(path));
    } catch (error) {
      await file.close().catch(() => {});
      await unlink(path).catch(() => {});
      throw error;
    }
    return new Segment(path, 0, MAGIC.length, file);
  }

  /** Appends bytes durably, all or none; after a fault nothing more goes into this file. */
  async append(bytes: Buffer): Promise<void> {
    const file = this.#file;
    if (file === null) throw new Error('the file is closed');
    try {
      for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
      await file.datasync();
      this.size += bytes.length;
    } catch (error) {
      // A failed sync may have lost pages for good, so the file is left; what was cut off is not a whole record.
      await file.truncate(this.size).catch(() => {});
      await this.close();
      throw error;
    }
  }

  /** Takes what it holds away and stays open; after a crash that may be back. False where the disk refuses. */
  async empty(): Promise<boolean> {
    try {
      await this.#file?.truncate(MAGIC.length);
    } catch {
      return false;
    }
    this.size = MAGIC.length;
    return this.#file !== null;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close().catch(() => {});
  }

  async remove(): Promise<void> {
    await this.close();
    await unlink(this.path);
  }
}

/** syncDirectory makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
