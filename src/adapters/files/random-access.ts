import { read } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { toFileError } from './file-error.ts';

/** RandomAccess is a file that is read at any place. Close it in the end. */
export interface RandomAccess {
  readonly name: string;
  readonly size: number;
  /** By which a thread reads this same file (`readDescriptor`), whatever its path leads to by then. */
  readonly descriptor: number;
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
    const file = { name: path, size: stat.size, descriptor: handle.fd };
    return {
      ...file,
      ...readDescriptor(file),
      close: () => handle.close(),
    };
  } catch (error) {
    throw toFileError('unreadable', path, error);
  }
}

/** SharedFile is an open file as another thread is told of it. */
export type SharedFile = Pick<RandomAccess, 'name' | 'size' | 'descriptor'>;

const readAt = promisify(read);

/**
 * readDescriptor reads a file that another thread has open. That thread closes it once this one has ended: the number could be another
 * file's by then.
 */
export function readDescriptor({
  name,
  size,
  descriptor,
}: SharedFile): Pick<RandomAccess, 'name' | 'size' | 'read'> {
  return {
    name,
    size,
    read: async (offset, length) => {
      const { buffer, bytesRead } = await readAt(descriptor, Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
  };
}
