import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { RegistryError } from '../../image/index.ts';

/** A Secret of Kubernetes has a mebibyte at most. */
const MAX_FILE = 1_048_576;

/** readSmallFile reads a file with credentials; a pipe or a device is none. Throws RegistryError `credentials`. */
export async function readSmallFile(path: string): Promise<Buffer> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK); // without waiting for the other end of a pipe
    const stat = await handle.stat();
    if (!stat.isFile()) throw new RegistryError('credentials', `${path} is not a file`);
    const buffer = Buffer.alloc(MAX_FILE + 1);
    let size = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, size, buffer.length - size);
      size += bytesRead;
      if (size > MAX_FILE) throw new RegistryError('credentials', `${path} is larger than 1 MiB`);
      if (bytesRead === 0) return Buffer.from(buffer.subarray(0, size));
    }
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new RegistryError('credentials', `${path} cannot be read (${code ?? 'unknown fault'})`, {
      cause: error,
    });
  } finally {
    await handle?.close();
  }
}
