import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from './make-directory.ts';
import { toFileError } from './file-error.ts';
import { followPath } from './follow-path.ts';

/**
 * writeWhole writes a file that is either there in full or not at all: a temporary file beside it, synced, then renamed.
 * Missing directories are made; a link is followed, and the mode of a file that is there is kept. A device, a pipe and an
 * open descriptor (`/dev/stderr`) are written as they are. Throws FileError.
 */
export async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  let temporary: string | null = null;
  try {
    const { target, mode, special } = await followPath(path);
    if (special) {
      const handle = await open(target, 'a');
      try {
        await handle.writeFile(data);
      } finally {
        await handle.close();
      }
      return;
    }
    await makeDirectory(dirname(target));
    temporary = join(dirname(target), `.${randomBytes(6).toString('hex')}.ipo-tmp`);
    const handle = await open(temporary, 'wx');
    try {
      if (mode !== null) await handle.chmod(mode);
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    if (temporary !== null) await rm(temporary, { force: true }).catch(() => undefined); // the first fault is the one to tell
    throw toFileError('unwritable', path, error);
  }
}
