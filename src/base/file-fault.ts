import { isAbsolute } from 'node:path';

/** FileFault is what the system says of a file, for people: what is wrong with it, and what to do where that is known. */
export interface FileFault {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** fileFaultOf gives the words for an error of the file system by its code, such as `ENOENT`; null for any other error. */
export function fileFaultOf(error: unknown): FileFault | null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const fault = FAULTS.get(code) ?? null;
  if (code !== 'ENOENT' || fault === null) return fault;
  const path = error instanceof Error && 'path' in error ? error.path : undefined;
  return typeof path === 'string' && isAbsolute(path) ? { ...fault, hint: 'Check the path' } : fault;
}

const ACCESS = { message: 'permission denied', hint: 'Give this user access to the file' };

const FAULTS: ReadonlyMap<unknown, FileFault> = new Map<unknown, FileFault>(
  Object.entries({
    ENOENT: {
      message: 'no such file or directory',
      hint: 'Check the path; it is relative to the current directory',
    },
    EACCES: ACCESS,
    EPERM: ACCESS,
    EISDIR: { message: 'is a directory, not a file', hint: 'Name a file in it' },
    ENOTDIR: { message: 'a part of the path is not a directory', hint: 'Check the path' },
    ENOSPC: {
      message: 'no space left on the device',
      hint: 'Free some space; nothing was half-written',
    },
    EROFS: { message: 'the file system is read-only', hint: 'Write to another place' },
    ELOOP: { message: 'too many symbolic links', hint: 'Name the file itself' },
    ENAMETOOLONG: { message: 'the name is too long', hint: 'Use a shorter one' },
  }),
);
