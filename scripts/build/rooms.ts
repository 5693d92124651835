import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { GROUPS, type Listed } from '../../bin/terminal/listed.ts';

const ROOT = new URL('../../', import.meta.url);

/** The longest line of a source. */
const WIDTH = 110;

/** commandFolders gives the folders of bin that hold a command, by name. */
export async function commandFolders(): Promise<readonly string[]> {
  const entries = await readdir(new URL('bin', ROOT), { withFileTypes: true });
  const found: string[] = [];
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const first = await readFile(new URL(`bin/${name}/index.ts`, ROOT), 'utf8');
    if (/^export const listed: Listed\b/m.test(first)) found.push(name);
  }
  return found.toSorted();
}

/** commandList writes the source of bin/commands.ts: what the help lists, in its order, found from the folders of bin. The rest of a command is loaded when it is called. */
export async function commandList(): Promise<string> {
  const folders = await commandFolders();
  const found = new Map<string, Listed>();
  for (const name of folders) {
    const { listed } = (await import(new URL(`bin/${name}/index.ts`, ROOT).href)) as { listed: Listed };
    if (listed.name !== name) throw new Error(`bin/${name} lists a command named ${listed.name}`);
    found.set(name, listed);
  }
  const rank = ({ group, place }: Listed): number => GROUPS.indexOf(group) * 1000 + place;
  const ordered = [...found.values()].toSorted((a, b) => rank(a) - rank(b));
  return [
    "import type { Named } from './terminal/listed.ts';",
    '',
    '/** COMMANDS lists every command in the order of the help. Written by `npm run commands` from the folders. */',
    'export const COMMANDS: readonly Named[] = [',
    ...ordered.flatMap(({ name, summary, group }) => [
      '  {',
      ...property('name', name),
      ...property('summary', summary),
      ...property('group', group),
      `    load: async () => (await import('./${name}/index.ts')).listed,`,
      '  },',
    ]),
    '];',
    '',
  ].join('\n');
}

/** The lines of a text in an object, as they are formatted. */
function property(name: string, text: string): readonly string[] {
  const written = `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}',`;
  const line = `    ${name}: ${written}`;
  return line.length <= WIDTH ? [line] : [`    ${name}:`, `      ${written}`];
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
