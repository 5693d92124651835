import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toFileError } from './file-error.ts';

/**
 * writeWhole writes a file that is either there in full or not at all: a temporary file beside it, synced, then
 * renamed. Missing directories are made. A device or a pipe (`/dev/stderr`) is written as it is. Throws FileError.
 */
export async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}.ipo-tmp`);
  try {
    const there = await stat(path).catch(() => null);
    if (there?.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    const special = there !== null && !there.isFile();
    if (!special) await mkdir(dirname(path), { recursive: true });
    const handle = await open(special ? path : temporary, special ? 'w' : 'wx', 0o644);
    try {
      await handle.writeFile(data);
      if (!special) await handle.sync();
    } finally {
      await handle.close();
    }
    if (!special) await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first fault is the one to tell
    throw toFileError('unwritable', path, error);
  }
}
