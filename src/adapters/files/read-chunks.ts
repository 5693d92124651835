import { close, fstat, open, read, type Stats } from 'node:fs';

/** Bytes that are read at once; who reads on is given what was read while the next are on their way. */
const AT_ONCE = 262_144;

/** OpenedFile is a file that is read from its beginning to its end, once. */
export interface OpenedFile {
  /** Bytes of an ordinary file; null for anything else, which has no end that is known. */
  readonly size: number | null;
  /**
   * Its bytes in chunks of at most this many, each the reader's own. The file is closed in the end; a caller that never starts to read
   * calls `close`.
   */
  chunks(length: number): AsyncGenerator<Uint8Array, void, undefined>;
  close(): void;
}

/**
 * openFile opens a file by the plain calls of node:fs, which is loaded whatever runs: its promises and streams take a tenth of the
 * time of a command that reads one small file, and a sixth of that of a replay. Throws the fault of the file system; that of a
 * directory is `EISDIR`.
 */
export async function openFile(path: string): Promise<OpenedFile> {
  const descriptor = await new Promise<number>((resolve, reject) => {
    open(path, 'r', (error, opened) => (error === null ? resolve(opened) : reject(error)));
  });
  let isOpen = true;
  const end = (): void => {
    if (isOpen) close(descriptor, () => undefined);
    isOpen = false;
  };
  try {
    const stat = await new Promise<Stats>((resolve, reject) => {
      fstat(descriptor, (error, found) => (error === null ? resolve(found) : reject(error)));
    });
    if (stat.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    const size = stat.isFile() ? stat.size : null;
    return { size, chunks: (length) => chunksOf(descriptor, size, length, end), close: end };
  } catch (error) {
    end();
    throw error;
  }
}

async function* chunksOf(
  descriptor: number,
  size: number | null,
  length: number,
  end: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  // What is not an ordinary file may wait for its writer: nothing of it is asked for before it is wanted.
  const ahead = size !== null;
  const atOnce = Math.max(1, Math.min(AT_ONCE, size === null ? length : size + 1));
  let next = ahead ? readOnce(descriptor, atOnce) : null;
  try {
    for (;;) {
      const bytes = await (next ?? readOnce(descriptor, atOnce));
      next = null;
      if (bytes.length === 0) return;
      if (ahead) next = readOnce(descriptor, atOnce);
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
    }
  } finally {
    // A read that is on its way ends first: its descriptor could be another file's by then.
    if (next === null) end();
    else void next.then(end, end);
  }
}

function readOnce(descriptor: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(length);
  const reading = new Promise<Uint8Array>((resolve, reject) => {
    read(descriptor, buffer, 0, length, null, (error, count) =>
      error === null ? resolve(buffer.subarray(0, count)) : reject(error),
    );
  });
  reading.catch(() => undefined); // heard by who waits for it, if anybody still does
  return reading;
}
