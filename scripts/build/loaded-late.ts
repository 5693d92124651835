import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { usedNames, type Libraries } from './libraries.ts';

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

/**
 * loadedLate puts an object in the place of each such module that our sources import: its properties are the names that the importer
 * uses, and reading one loads the module. Not all of its names, since a bundle copies each of them at every start. `inline` are packages
 * that stand in the file of the program itself, the others in files of their own.
 */
export const loadedLate = (libraries: Libraries, inline: readonly string[]): Plugin => ({
  name: 'loaded-late',
  setup({ onResolve, onLoad }) {
    const wanted = new RegExp(`^(?:${LATE.join('|')})$`);
    onResolve({ filter: wanted }, async ({ path, importer, namespace, kind, pluginData }) => {
      if (namespace === 'names') return null;
      if (namespace === 'late' && MODULES.test(path) && inline.includes(path))
        return {
          path,
          namespace: 'names',
          suffix: `?${String(pluginData)}`,
          pluginData: pluginData as unknown,
        };
      if (namespace === 'late') return null;
      const isOurs = kind === 'import-statement' && !importer.includes('node_modules');
      if (!isOurs) return null;
      const names = [...((await usedNames(await readFile(importer, 'utf8'), path)) ?? [])]
        .toSorted()
        .join(', ');
      return { path, namespace: 'late', suffix: `?${names}`, pluginData: names };
    });
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path, pluginData }) => {
      const names = String(pluginData).split(', ');
      const loading = (inline.includes(path) ? null : libraries.loading(path)) ?? `require('${path}')`;
      const properties = names.map((name) => `get ${name}() { return load().${name}; }`);
      return {
        contents: `let loaded; const load = () => (loaded ??= ${loading}); module.exports = { ${properties.join(', ')} };`,
        resolveDir: process.cwd(),
        pluginData: pluginData as unknown,
      };
    });
    onLoad({ filter: /.*/, namespace: 'names' }, ({ path, pluginData }) => ({
      contents: `export { ${String(pluginData)} } from '${path}';`,
      resolveDir: process.cwd(),
    }));
  },
});

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
