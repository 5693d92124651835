import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { sources, target, type SourceFile } from './sources.ts';

interface Read extends SourceFile {
  readonly words: ReadonlySet<string>;
}

const read: readonly Read[] = ['src', 'bin', 'daemon', 'fakes', 'fixtures', 'scripts', 'bench', 'test']
  .flatMap((folder) => sources(folder))
  .map((file) => ({ ...file, words: new Set(file.text.match(/[A-Za-z_$][\w$]*/g)) }));

/** Importers are the files that import a file: by the name they import, those that take all of it, and those that give all of it on. */
interface Importers {
  readonly byName: Map<string, Set<string>>;
  readonly whole: Set<string>;
  readonly through: Set<string>;
}

const importers = new Map<string, Importers>();

function importersOf(path: string): Importers {
  const known = importers.get(path) ?? { byName: new Map(), whole: new Set(), through: new Set() };
  importers.set(path, known);
  return known;
}

for (const file of read) {
  const { path, text } = file;
  const of = (specifier: string): Importers => importersOf(target(file, specifier) ?? specifier);
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
  const { byName, whole, through } = importersOf(path);
  const users = new Set(byName.get(name));
  for (const { path: file, words } of whole.size > 0 ? read : [])
    if (file !== path && words.has(name) && !/^src\/.*\/index\.ts$/.test(file)) users.add(file);
  for (const index of through) for (const user of usersOf(index, name)) users.add(user);
  return users;
}

test('an index gives what another folder imports, and nothing else', () => {
  const unused = read.flatMap(({ path, text }) =>
    /^src\/(?:.*\/)?index\.ts$/.test(path)
      ? [...text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm)]
          .flatMap(([, list = '']) => namesIn(list))
          .filter(({ to }) => [...usersOf(path, to)].every((user) => user.startsWith(`${dirname(path)}/`)))
          .map(({ to }) => `${path}: ${to}`)
      : [],
  );
  assert.deepEqual(unused, []);
});

test('a function, class or constant is exported where another file imports it', () => {
  const checked = read.filter(({ path }) => /^(?:src|bin|fakes)\//.test(path));
  const unused = checked.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|class|abstract class|const|let) ([\w$]+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => usersOf(path, name).size === 0)
      .map((name) => `${path}: ${name}`),
  );
  assert.deepEqual(unused, []);
});
