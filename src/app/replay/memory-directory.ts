import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';

/**
 * withMemoryDirectory gives an act a directory of its own, in memory where the system has that, which is gone afterwards, also
 * when the process is ended in the middle of it.
 */
export async function withMemoryDirectory<T>(act: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(isWritable(MEMORY) ? MEMORY : tmpdir(), 'ipo-demo-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    return await act(directory);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
