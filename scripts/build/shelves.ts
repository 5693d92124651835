import { build } from 'esbuild';
import { pastIndex } from './past-index.ts';

/** SHELVES are the files of many commands: those that only call a service, those that judge by themselves, those that open a database. */
export const SHELVES = ['client', 'commands', 'database', 'registry'] as const;

/** Shelf is one of them. */
export type Shelf = (typeof SHELVES)[number];

/**
 * shelvesOf tells on which shelf each of these programs stands, by what it imports at any depth: a file is read and compiled as a whole,
 * so a command that asks a service for a list must not stand beside the store.
 */
export async function shelvesOf(programs: readonly string[], root: string): Promise<Map<string, Shelf>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...programs],
    outdir: 'dist',
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    logLevel: 'error',
    // As in the shelves themselves, and in half the time: an index would link most of the program into each.
    plugins: [pastIndex],
  });
  const shelves = new Map<string, Shelf>();
  for (const { entryPoint, inputs } of Object.values(metafile.outputs)) {
    const uses = (folder: string): boolean => Object.keys(inputs).some((file) => file.startsWith(folder));
    if (entryPoint === undefined) continue;
    shelves.set(entryPoint, shelfOf(uses));
  }
  return shelves;
}

function shelfOf(uses: (folder: string) => boolean): Shelf {
  if (uses('src/store/')) return 'database';
  return uses('src/decision/') ? 'commands' : 'client';
}
