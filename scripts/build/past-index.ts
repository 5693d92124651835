import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

/** Where a name of an index comes from: the file that declares it, and its name there. */
interface Origin {
  readonly file: string;
  readonly name: string;
}

/**
 * pastIndex lets an import from an index.ts name the files that declare what is imported. In a file of many programs a module is evaluated
 * when it is first used; an index evaluates all that it names, so that a small command would start the whole service.
 */
export const pastIndex: Plugin = {
  name: 'past-index',
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:bin|src)\/.*\.ts$/ }, ({ path }) => ({
      contents: rewriteLoaded(rewrite(readFileSync(path, 'utf8'), path), path),
      loader: 'ts',
    }));
  },
};

const IMPORT = /^(import|export) \{([^}]*)\} from '(\.[^']*\/index\.ts)';/gm;

function rewrite(text: string, path: string): string {
  return text.replaceAll(IMPORT, (_, verb: string, clause: string, specifier: string) => {
    const index = resolve(dirname(path), specifier);
    const known = exportsOf(index);
    const lines = namesOf(clause).map(({ name, as }) => {
      const origin = known.get(name);
      if (origin === undefined) return `${verb} { ${name} as ${as} } from '${specifier}';`;
      return `${verb} { ${origin.name} as ${as} } from '${origin.file}';`;
    });
    // On one line each would move the places that a stack trace names; they are told by the emitted file anyway.
    return lines.join(' ');
  });
}

/** What is imported while the program runs: names of an index, or one of them. */
const LOADED_NAMES = /^( *)const \{([^}]*)\} =\s+await import\('(\.[^']*\/index\.ts)'\);/gm;
const LOADED_NAME = /\(await import\('(\.[^']*\/index\.ts)'\)\)\.(\w+)/g;

/** The same for what is imported while the program runs. A module that is imported so is evaluated by itself, and an index with all that it names. */
function rewriteLoaded(text: string, path: string): string {
  const origins = (specifier: string): ReadonlyMap<string, Origin> =>
    exportsOf(resolve(dirname(path), specifier));
  const here = (file: string): string => `./${relative(dirname(path), file)}`;
  return text
    .replaceAll(LOADED_NAMES, (whole, indent: string, clause: string, specifier: string) => {
      const lines = namesOf(clause.replaceAll(/(\w+): /g, '$1 as ')).map(({ name, as }) => {
        const origin = origins(specifier).get(name);
        return origin && `const { ${origin.name}: ${as} } = await import('${here(origin.file)}');`;
      });
      return lines.includes(undefined) ? whole : `${indent}${lines.join(' ')}`;
    })
    .replaceAll(LOADED_NAME, (whole, specifier: string, name: string) => {
      const origin = origins(specifier).get(name);
      return origin === undefined ? whole : `(await import('${here(origin.file)}')).${origin.name}`;
    });
}

/** The names of a clause, those of types left out. */
function namesOf(clause: string): readonly { name: string; as: string }[] {
  return clause
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('type '))
    .map((part) => {
      const [name = '', as = name] = part.split(/\s+as\s+/);
      return { name, as };
    });
}

const read = new Map<string, ReadonlyMap<string, Origin>>();

/** The values that a file exports, each with where it is declared. */
function exportsOf(file: string): ReadonlyMap<string, Origin> {
  const before = read.get(file);
  if (before !== undefined) return before;
  const found = new Map<string, Origin>();
  read.set(file, found);
  const text = readFileSync(file, 'utf8');
  for (const [, name = ''] of text.matchAll(
    /^export (?:abstract )?(?:async )?(?:function\*?|class|const|let) ([\w$]+)/gm,
  ))
    found.set(name, { file, name });
  for (const [, clause = '', specifier = ''] of text.matchAll(/^export \{([^}]*)\} from '(\.[^']*)';/gm)) {
    const from = exportsOf(resolve(dirname(file), specifier));
    for (const { name, as } of namesOf(clause)) found.set(as, from.get(name) ?? { file, name: as });
  }
  for (const [, specifier = ''] of text.matchAll(/^export \* from '(\.[^']*)';/gm))
    for (const [name, origin] of exportsOf(resolve(dirname(file), specifier))) found.set(name, origin);
  return found;
}
