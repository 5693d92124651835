import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['src', 'bin', 'daemon', 'fakes', 'fixtures', 'scripts', 'bench', 'test'];

interface Source {
  readonly path: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

const sources: readonly Source[] = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, 'utf8');
      return { path: pathOf(file), text, words: new Set(text.match(/[A-Za-z_$][\w$]*/g)) };
    }),
);

function pathOf(file: string): string {
  return relative(ROOT, file).split(sep).join('/');
}

/** Importers are the files that import a file: by the name they import, those that take all of it, and those that give all of it on. */
interface Importers {
  readonly byName: Map<string, Set<string>>;
  readonly whole: Set<string>;
  readonly through: Set<string>;
}

const importers = new Map<string, Importers>();
for (const { path, text } of sources) {
  const of = (specifier: string): Importers => {
    const target = pathOf(resolve(ROOT, dirname(path), specifier));
    const made = importers.get(target) ?? { byName: new Map(), whole: new Set(), through: new Set() };
    importers.set(target, made);
    return made;
  };
  const statements = text.matchAll(
    /^(?:import|export) (?:type )?(?:\{([^}]*)\}|\* as \w+|(\*)) from '(\.[^']*)'/gm,
  );
  for (const [, list, star, specifier = ''] of statements) {
    const { byName, whole, through } = of(specifier);
    if (list === undefined) (star === undefined ? whole : through).add(path);
    for (const name of namesIn(list ?? ''))
      byName.set(name.from, (byName.get(name.from) ?? new Set()).add(path));
  }
  for (const [, specifier = ''] of text.matchAll(/\bimport\(\s*'(\.[^']*)',?\s*\)/g))
    of(specifier).whole.add(path);
}

function namesIn(list: string): { readonly from: string; readonly to: string }[] {
  return list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
    .map((name) => {
      const [from = '', to = from] = name.split(' as ');
      return { from, to };
    });
}

/** Gives the files that use what a file exports under a name; of one that is imported whole at run time, every file with that word. */
function usersOf(path: string, name: string): ReadonlySet<string> {
  const { byName, whole, through } = importers.get(path) ?? { byName: new Map(), whole: [], through: [] };
  const users = new Set<string>(byName.get(name));
  const isWhole = [...whole].length > 0;
  for (const { path: file, words } of isWhole ? sources : [])
    if (file !== path && words.has(name) && !/^src\/.*\/index\.ts$/.test(file)) users.add(file);
  for (const index of through) for (const user of usersOf(index, name)) users.add(user);
  return users;
}

const src = sources.filter(({ path }) => path.startsWith('src/'));

test('an index gives what another folder imports, and nothing else', () => {
  const unused = src.flatMap(({ path, text }) =>
    basename(path) === 'index.ts'
      ? [...text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm)]
          .flatMap(([, list = '']) => namesIn(list))
          .filter(({ to }) => [...usersOf(path, to)].every((user) => user.startsWith(`${dirname(path)}/`)))
          .map(({ to }) => `${path}: ${to}`)
      : [],
  );
  assert.deepEqual(unused, []);
});

test('a function, class or constant is exported where another file imports it', () => {
  const read = sources.filter(({ path }) => /^(?:src|bin|fakes)\//.test(path));
  const unused = read.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|class|abstract class|const|let) ([\w$]+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => usersOf(path, name).size === 0)
      .map((name) => `${path}: ${name}`),
  );
  assert.deepEqual(unused, []);
});
