import { mkdir, mkdtemp, readdir, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** WorkDirectory holds a directory for each run of a program, of which nothing is left after it. */
export interface WorkDirectory {
  /**
   * Runs an act in an empty directory that nobody else may read, and deletes it with everything in it. `keep` writes a file that is not
   * to lie where the program works, and gives the directory in which it is.
   */
  within<T>(
    act: (path: string, keep: (name: string, text: string) => Promise<string>) => Promise<T>,
  ): Promise<T>;
}

/**
 * openWorkDirectory makes the directory and clears what a crash left behind: programs that still run in it, and their files. Only one
 * process may have it.
 */
export async function openWorkDirectory(path: string): Promise<WorkDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await endWithin(await realpath(path));
  for (const name of await readdir(path)) {
    if (name.startsWith('run-')) await rm(join(path, name), { recursive: true, force: true });
  }
  return {
    async within(act) {
      const own = await mkdtemp(join(path, 'run-'));
      try {
        const cwd = join(own, 'cwd');
        await mkdir(cwd, { mode: 0o700 });
        return await act(cwd, async (name, text) => {
          const kept = join(own, 'kept');
          await mkdir(kept, { recursive: true, mode: 0o700 });
          await writeFile(join(kept, name), text, { mode: 0o600, flag: 'wx' });
          return kept;
        });
      } finally {
        // What the program unpacked may be read-only, or still be growing while the last of its group ends.
        await rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
      }
    },
  };
}

/** Ends every process that works in a directory: they outlive a service that was killed. Where there is no /proc, they end by themselves. */
async function endWithin(path: string): Promise<void> {
  const processes = await readdir('/proc').catch((): string[] => []);
  for (const name of processes) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const at = await readlink(join('/proc', name, 'cwd')).catch(() => '');
    if (!at.startsWith(`${path}${sep}run-`)) continue;
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}
