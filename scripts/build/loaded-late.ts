import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * Modules of Node and packages that are loaded when something of them is first used, and not with the file that names them.
 * Node compiles its own modules at their first load too: streams, zlib and crypto take a tenth of a short command's time.
 */
const LATE = [
  'node:child_process',
  'node:crypto',
  'node:dns',
  'node:fs/promises',
  'node:http',
  'node:https',
  'node:net',
  'node:os',
  'node:readline',
  'node:stream',
  'node:stream/promises',
  'node:timers/promises',
  'node:tls',
  'node:worker_threads',
  'node:zlib',
  're2js',
  'undici',
  'yaml',
  'zod/mini',
  'zod/v4/core',
];

/** Packages of modules, of which a bundle takes what it uses; the sentences of all languages would be half of zod. */
const MODULES = /^zod\//;

/** SHARED are packages that stand in a file of their own beside the commands: large, and few runs of a command need them. */
export const SHARED = {
  re2js: './node_modules/re2js',
  undici: './node_modules/undici',
  yaml: './node_modules/yaml',
} as const;

/**
 * loadedLate puts an object in the place of each such module that our sources import: its properties are the names that the importer
 * uses, and reading one loads the module. Not all of its names, since a bundle copies each of them at every start.
 */
export const loadedLate: Plugin = {
  name: 'loaded-late',
  setup({ onResolve, onLoad }) {
    const wanted = new RegExp(`^(?:${LATE.join('|')})$`);
    onResolve({ filter: wanted }, async ({ path, importer, namespace, kind, pluginData }) => {
      if (namespace === 'names') return null;
      if (namespace === 'late' && MODULES.test(path))
        return {
          path,
          namespace: 'names',
          suffix: `?${String(pluginData)}`,
          pluginData: pluginData as unknown,
        };
      if (namespace === 'late') return path in SHARED ? { path: `./${path}.cjs`, external: true } : null;
      const isOurs = kind === 'import-statement' && !importer.includes('node_modules');
      if (!isOurs) return null;
      const names = (await usedNames(path, importer)).join(', ');
      return { path, namespace: 'late', suffix: `?${names}`, pluginData: names };
    });
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path, pluginData }) => {
      const names = String(pluginData).split(', ');
      const properties = names.map((name) => `get ${name}() { return load().${name}; }`);
      return {
        contents: `let loaded; const load = () => (loaded ??= require('${path}')); module.exports = { ${properties.join(', ')} };`,
        resolveDir: process.cwd(),
        pluginData: pluginData as unknown,
      };
    });
    onLoad({ filter: /.*/, namespace: 'names' }, ({ path, pluginData }) => ({
      contents: `export { ${String(pluginData)} } from '${path}';`,
      resolveDir: process.cwd(),
    }));
  },
};

/** The names of a module that a source imports, those of types left out. */
async function usedNames(path: string, importer: string): Promise<readonly string[]> {
  const source = await readFile(importer, 'utf8');
  const names = new Set<string>();
  for (const [, clause = ''] of source.matchAll(new RegExp(`^import ([^;]+?) from '${path}';`, 'gm'))) {
    const [, whole] = /^\* as (\w+)$/.exec(clause) ?? [];
    const used =
      whole === undefined
        ? clause.matchAll(/([\w$]+)(?: as [\w$]+)?\s*[,}]/g)
        : source.matchAll(new RegExp(`\\b${whole}\\s*\\.\\s*(\\w+)`, 'g'));
    for (const [, name = ''] of used) names.add(name);
  }
  const known = new Set(Object.keys((await import(path)) as object));
  // Namespaces of zod that only types are taken from.
  return [...names].filter((name) => known.has(name) && name !== 'core').toSorted();
}

/** withoutColourProbe: chalk looks at the terminal and its surroundings as it is loaded, and we always say ourselves whether to colour. */
export const withoutColourProbe: Plugin = {
  name: 'without-colour-probe',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#supports-color$/ }, ({ path }) => ({ path, namespace: 'no-probe' }));
    onLoad({ filter: /.*/, namespace: 'no-probe' }, () => ({
      contents: 'export default { stdout: false, stderr: false };',
    }));
  },
};
