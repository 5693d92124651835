import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL('../../src/store/migrations/', import.meta.url);

/** A migration is named like its file; a file without one is a part of the migration with its number. */
const MIGRATION = /^export const (\w+): Migration = \{\n {2}name: '([^']+)',$/m;

/** migrationList writes the source of src/store/migrations/list.ts: every migration of the folder, in the order of their numbers. */
export async function migrationList(): Promise<string> {
  const found: (readonly [constant: string, file: string])[] = [];
  for (const file of (await readdir(FOLDER)).filter((name) => /^\d{4}-/.test(name)).toSorted()) {
    const [, constant, name] = MIGRATION.exec(await readFile(new URL(file, FOLDER), 'utf8')) ?? [];
    if (constant === undefined) continue;
    if (`${name}.ts` !== file) throw new Error(`src/store/migrations/${file} names its migration ${name}`);
    found.push([constant, file]);
  }
  return [
    ...found.map(([constant, file]) => `import { ${constant} } from './${file}';`),
    "import type { Migration } from './migration.ts';",
    '',
    '/** MIGRATIONS is the history in order, forward only. Written by `npm run migrations` from the folder; once published, none is edited. */',
    'export const MIGRATIONS: readonly Migration[] = [',
    ...found.map(([constant]) => `  ${constant},`),
    '];',
    '',
  ].join('\n');
}
