import { readdir } from 'node:fs/promises';
import type { Migration } from '../../src/store/migrations/migration.ts';

const FOLDER = new URL('../../src/store/migrations/', import.meta.url);

/**
 * migrationList writes the source of src/store/migrations/list.ts: every migration of the folder, in the order of their numbers. A migration is
 * named like its file. A numbered file without one is a part of the migration with its number; where there is no such migration, it fails.
 */
export async function migrationList(): Promise<string> {
  const files = (await readdir(FOLDER)).filter((name) => /^\d{4}-.*\.ts$/.test(name)).toSorted();
  const found = new Map<string, string>();
  for (const file of files) {
    const exported = (await import(new URL(file, FOLDER).href)) as Readonly<
      Record<string, Partial<Migration>>
    >;
    const [constant] = Object.entries(exported).find(([, { name }]) => `${name}.ts` === file) ?? [];
    if (constant !== undefined) found.set(file, constant);
  }
  const numbers = new Set([...found.keys()].map((file) => file.slice(0, 4)));
  const lost = files.find((file) => !numbers.has(file.slice(0, 4)));
  if (lost !== undefined)
    throw new Error(`src/store/migrations/${lost} exports no migration that is named like it`);
  return [
    ...[...found].map(([file, constant]) => `import { ${constant} } from './${file}';`),
    "import type { Migration } from './migration.ts';",
    '',
    '/** MIGRATIONS is the history in order, forward only. Written by `npm run migrations` from the folder; once published, none is edited. */',
    'export const MIGRATIONS: readonly Migration[] = [',
    ...[...found.values()].map((constant) => `  ${constant},`),
    '];',
    '',
  ].join('\n');
}
