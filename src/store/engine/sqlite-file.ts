import { chownSync, closeSync, openSync, statSync } from 'node:fs';
import { StoreError } from '../sql/store-error.ts';

/** makeFile makes a file that nobody else may read: it holds hashes of passwords, and what SQLite puts beside it takes the same rights. */
export function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new StoreError('unwritable', `${file} cannot be made${code === '' ? '' : ` (${code})`}`, {
      hint: 'Its directory must exist and be writable for this user',
      cause: error,
    });
  }
}

/** makeBeside makes a file beside another; who may use that may use it too, also where root makes it. */
export function makeBeside(file: string, database: string): void {
  makeFile(file);
  keepOwner(file, database);
}

/** keepOwner gives a file that root made to whom another file, or its directory, belongs. */
export function keepOwner(file: string, other: string): void {
  const owner = statSync(other, { throwIfNoEntry: false });
  if (owner !== undefined && process.geteuid?.() === 0) chownSync(file, owner.uid, owner.gid);
}

/** inodeOf gives the number of a file, by which a file that was replaced is known; null where there is none. */
export function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}
