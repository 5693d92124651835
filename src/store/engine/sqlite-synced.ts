import { openSync, statSync } from 'node:fs';

/** By device and inode: a path may name another file later. */
const opened = new Map<string, number>();

/**
 * syncedFile gives a descriptor by which a database can be synced. It is never closed, and there is one for each file: closing any
 * descriptor of a file drops all locks that SQLite has on it in this process. Call it on the main thread, since Node closes the descriptors of a
 * thread that ends. Throws the system's error where the file is not there.
 */
export function syncedFile(file: string): number {
  const { dev, ino } = statSync(file, { bigint: true });
  const key = `${dev}:${ino}`;
  let descriptor = opened.get(key);
  if (descriptor === undefined) opened.set(key, (descriptor = openSync(file, 'r')));
  return descriptor;
}
