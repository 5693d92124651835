import { lstat, readlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Names behind which open descriptors stand, also where they look like links to files. */
const DESCRIPTORS = /^\/(?:proc\/|dev\/(?:fd\/|std(?:in|out|err)$))/;

/** Followed is where a path leads in the end. */
export interface Followed {
  readonly target: string;
  /** Permissions of the file that is there; null for none. */
  readonly mode: number | null;
  /** Whether a device, a pipe or an open descriptor is there, which is written as it is. */
  readonly special: boolean;
}

/** followPath follows links: renaming over one would leave what it points to as it was. Throws what the file system says. */
export async function followPath(path: string): Promise<Followed> {
  let target = resolve(path);
  for (let links = 0; links < 40; links += 1) {
    if (DESCRIPTORS.test(target)) return { target, mode: null, special: true };
    const there = await lstat(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (there?.isDirectory())
      throw Object.assign(new Error('is a directory'), { code: 'EISDIR', syscall: 'open' });
    if (!there?.isSymbolicLink()) {
      return { target, mode: there && there.mode & 0o7777, special: there !== null && !there.isFile() };
    }
    target = resolve(dirname(target), await readlink(target));
  }
  throw Object.assign(new Error('too many links'), { code: 'ELOOP', syscall: 'open' });
}
