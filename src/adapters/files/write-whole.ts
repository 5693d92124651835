import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readlink, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { toFileError } from './file-error.ts';

/**
 * writeWhole writes a file that is either there in full or not at all: a temporary file beside it, synced, then renamed.
 * Missing directories are made; a link is followed, and the mode of a file that is there is kept. A device, a pipe and an
 * open descriptor (`/dev/stderr`) are written as they are. Throws FileError.
 */
export async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  let temporary: string | null = null;
  try {
    const { target, mode, special } = await follow(path);
    if (special) {
      const handle = await open(target, 'a');
      try {
        await handle.writeFile(data);
      } finally {
        await handle.close();
      }
      return;
    }
    await mkdir(dirname(target), { recursive: true });
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

/** Where a path leads in the end: renaming over a link would leave what it points to as it was. */
async function follow(path: string): Promise<{ target: string; mode: number | null; special: boolean }> {
  let target = resolve(path);
  for (let links = 0; links < 40; links += 1) {
    // Behind these names stand open descriptors, also where they look like links to files.
    if (/^\/(?:dev|proc)\//.test(target)) return { target, mode: null, special: true };
    const there = await lstat(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (there?.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    if (!there?.isSymbolicLink()) {
      return { target, mode: there && there.mode & 0o7777, special: there !== null && !there.isFile() };
    }
    target = resolve(dirname(target), await readlink(target));
  }
  throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
}
