import { open } from 'node:fs/promises';
import { toFileError } from './file-error.ts';

/** RandomAccess is a file that is read at any place. Close it in the end. */
export interface RandomAccess {
  readonly name: string;
  readonly size: number;
  /** At most this many bytes; fewer where the file ends. */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** openRandomAccess opens a file. Throws FileError `unreadable`, also for what is not an ordinary file. */
export async function openRandomAccess(path: string): Promise<RandomAccess> {
  try {
    const handle = await open(path, 'r');
    const stat = await handle.stat();
    if (!stat.isFile()) {
      await handle.close();
      throw Object.assign(new Error('no ordinary file'), { code: stat.isDirectory() ? 'EISDIR' : 'EINVAL' });
    }
    return {
      name: path,
      size: stat.size,
      read: async (offset, length) => {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    throw toFileError('unreadable', path, error);
  }
}
