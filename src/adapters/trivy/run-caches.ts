import { lstat, mkdir, readFile, rm, stat, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readMetadata } from './run-version.ts';

/** TrivyCaches are the directories that Trivy keeps things in. */
export interface TrivyCaches {
  /** Holds the databases, in `db` and `java-db`. */
  readonly root: string;
  /** For the runs themselves. */
  readonly work: string;
  /** Runs a scan with a cache of its own. As many at once as there are caches. */
  within<T>(act: (cache: string) => Promise<T>): Promise<T>;
  /** Milliseconds at which the database was made, by the file beside it; null where it does not say. */
  madeAt(): Promise<number | null>;
  /** Empties caches of layers that have grown large. No scan may be under way. */
  tidy(): Promise<void>;
}

/** A cache of layers beyond this many bytes is started again. */
const MOST_REMEMBERED = 512 * 1_048_576;
const DATABASES = ['db', 'java-db'] as const;

/**
 * openCaches makes a cache for each scan that may run at once: Trivy locks its cache of layers, and a second process that meets the lock
 * fails. The databases, which scans only read, are one for all of them.
 */
export async function openCaches(directory: string, count: number): Promise<TrivyCaches> {
  const root = join(directory, 'cache');
  for (const name of DATABASES) await mkdir(join(root, name), { recursive: true, mode: 0o700 });
  const free: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const cache = join(directory, `scan-${i}`);
    await mkdir(cache, { recursive: true, mode: 0o700 });
    for (const name of DATABASES) await link(join('..', 'cache', name), join(cache, name));
    free.push(cache);
  }
  const all = [...free];
  return {
    root,
    work: join(directory, 'work'),
    async within(act) {
      const cache = free.pop();
      if (cache === undefined) throw new Error(`more than ${count} scans at once`);
      try {
        return await act(cache);
      } finally {
        free.push(cache);
      }
    },
    async madeAt() {
      const text = await readFile(join(root, 'db', 'metadata.json'), 'utf8').catch(() => '');
      return readMetadata(text);
    },
    async tidy() {
      for (const cache of all) {
        const remembered = join(cache, 'fanal');
        const { size } = await stat(join(remembered, 'fanal.db')).catch(() => ({ size: 0 }));
        if (size > MOST_REMEMBERED) await rm(remembered, { recursive: true, force: true });
      }
    },
  };
}

async function link(target: string, path: string): Promise<void> {
  const there = await lstat(path).catch(() => null);
  if (there?.isSymbolicLink() === true) await unlink(path);
  else if (there !== null) await rm(path, { recursive: true, force: true });
  await symlink(target, path, 'dir');
}
