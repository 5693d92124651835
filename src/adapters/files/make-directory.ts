import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * makeDirectory makes a directory, and those above it, where they are missing. Node's own `recursive` never ends below a file system that
 * takes no directory and says that the path is missing, as /proc does. Throws as `mkdir` does.
 */
export async function makeDirectory(path: string, mode?: number): Promise<void> {
  const fault = await make(path, mode);
  if (fault === null) return;
  const above = dirname(path);
  if (fault.code !== 'ENOENT' || above === path) throw fault;
  await makeDirectory(above, mode);
  const again = await make(path, mode);
  if (again !== null) throw again;
}

/** Why the directory is not there now; null where it is. */
async function make(path: string, mode: number | undefined): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path, mode);
    return null;
  } catch (error) {
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    return isThere ? null : (error as NodeJS.ErrnoException);
  }
}
