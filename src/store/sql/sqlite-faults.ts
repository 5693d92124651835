import { StoreError } from './store-error.ts';

/** sqliteFault gives a fault of SQLite as StoreError; anything else, such as a broken constraint, comes back as it was. */
export function sqliteFault(error: unknown, name: string): unknown {
  const code = codeOf(error);
  if (code === null) return error;
  const cause = error;
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new StoreError('unavailable', `${name} is locked by another process`, {
      hint: 'Let the other process finish, and keep one service per database file',
      cause,
    });
  }
  if (code.startsWith('SQLITE_FULL')) {
    return new StoreError('unavailable', `the disk under ${name} is full; nothing was written`, {
      hint: 'Make room; the service goes on by itself',
      cause,
    });
  }
  if (code.startsWith('SQLITE_READONLY')) {
    return new StoreError('unavailable', `${name} is read-only; nothing was written`, {
      hint: 'Make the file and its directory writable for this user, and the file system mounted for writing',
      cause,
    });
  }
  if (code.startsWith('SQLITE_CANTOPEN')) {
    return new StoreError('unreadable', `${name} cannot be opened`, {
      hint: 'The file and its directory must be writable for this user: SQLite keeps its log beside the file',
      cause,
    });
  }
  if (code.startsWith('SQLITE_PERM') || code.startsWith('SQLITE_AUTH')) {
    return new StoreError('unreadable', `${name} may not be opened by this user`, { cause });
  }
  if (code.startsWith('SQLITE_IOERR')) return diskFault(code, name, cause);
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(code)) {
    return new StoreError('damaged', `${name} is not a whole SQLite database (${code})`, {
      hint: 'Check the path, or restore the file from a backup',
      cause,
    });
  }
  return error;
}

/** diskFault is what is said of a disk that fails under a file, by the code of SQLite or of the system. */
export function diskFault(code: string, name: string, cause: unknown): StoreError {
  return new StoreError('unavailable', `the disk under ${name} gave an input/output error (${code})`, {
    hint: 'Look at the disk, and at the volume it is mounted from',
    cause,
  });
}

/** codeOf gives SQLite's code of an error, or null when it did not come from SQLite. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return error.code.startsWith('SQLITE_') ? error.code : null;
}

/** isBusy tells a lock that another process holds from every other fault. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error) ?? '');
}
