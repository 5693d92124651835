import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { GROUPS, type Listed } from '../../bin/terminal/listed.ts';

const ROOT = new URL('../../', import.meta.url);

/** commandFolders gives the folders of bin that hold a command, by name. */
async function commandFolders(): Promise<readonly string[]> {
  const entries = await readdir(new URL('bin', ROOT), { withFileTypes: true });
  const found: string[] = [];
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const first = await readFile(new URL(`bin/${name}/index.ts`, ROOT), 'utf8');
    if (/^export const listed: Listed\b/m.test(first)) found.push(name);
  }
  return found.toSorted();
}

/** commandList writes the source of bin/commands.ts: what the help lists, in its order, found from the folders of bin. */
export async function commandList(): Promise<string> {
  const folders = await commandFolders();
  const rank = new Map<string, number>();
  for (const name of folders) {
    const { listed } = (await import(new URL(`bin/${name}/index.ts`, ROOT).href)) as { listed: Listed };
    if (listed.name !== name) throw new Error(`bin/${name} lists a command named ${listed.name}`);
    rank.set(name, GROUPS.indexOf(listed.group) * 1000 + listed.place);
  }
  const ordered = folders.toSorted((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
  return [
    ...folders.map((name) => `import { listed as ${name} } from './${name}/index.ts';`),
    "import type { Listed } from './terminal/listed.ts';",
    '',
    '/** COMMANDS lists every command in the order of the help. Written by `npm run commands` from the folders. */',
    'export const COMMANDS: readonly Listed[] = [',
    ...ordered.map((name) => `  ${name},`),
    '];',
    '',
  ].join('\n');
}

/** DEFINITION is a file that defines commands; what it imports when one of them runs is a program of its own. */
export const DEFINITION = /\/bin\/[a-z/-]+\/index\.ts$/;

/** verbFiles gives the files that run when a command does, by the import() of the definitions: paths from the root. */
export async function verbFiles(): Promise<readonly string[]> {
  const names = await readdir(new URL('bin', ROOT), { recursive: true });
  const found = new Set<string>();
  for (const name of names.filter((one) => one.endsWith('/index.ts'))) {
    const text = await readFile(new URL(`bin/${name}`, ROOT), 'utf8');
    for (const [, path = ''] of text.matchAll(/\bimport\('(\.[^']+)'\)/g))
      found.add(normalize(join('bin', dirname(name), path)));
  }
  return [...found].toSorted();
}

/** outputName names what is emitted of a file: bin/policy/lint.ts is policy-lint, and bin/whatif/run.ts is whatif. */
export function outputName(path: string): string {
  return path
    .replace(/^bin\/|^src\/.*\//, '')
    .replace(/\.ts$/, '')
    .replace(/\/(run|verbs)$/, '')
    .replaceAll('/', '-');
}
