import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { isBusy, sqliteFault } from '../sql/sqlite-faults.ts';
import { keepOwner } from './sqlite-file.ts';
import { StoreError } from '../sql/store-error.ts';

/**
 * lockFile takes a file only for this process, and gives what lets go of it. The lock is the operating system's: it is gone when the
 * process is, however it ended, and it holds between containers that share a volume. Throws StoreError `unavailable` while another process
 * has it.
 */
export function lockFile(file: string): () => void {
  let database: Database.Database | null = null;
  try {
    database = new Database(file, { timeout: 0 });
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
    keepOwner(file, dirname(file));
  } catch (error) {
    database?.close();
    if (!isBusy(error)) throw sqliteFault(error, file);
    throw new StoreError('unavailable', `another service works on this directory (${file} is locked)`, {
      hint: 'Stop it, or give this one a directory of its own',
      cause: error,
    });
  }
  const held = database;
  return () => void held.close();
}
