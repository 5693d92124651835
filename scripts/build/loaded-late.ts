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
];

/** SHARED are packages that stand in a file of their own beside the commands: large, and few runs of a command need them. */
export const SHARED = { re2js: './node_modules/re2js', undici: './node_modules/undici' } as const;

/**
 * loadedLate puts an object in the place of each such module that our sources import: its properties are the names that the
 * module exports, and reading one loads it.
 */
export const loadedLate: Plugin = {
  name: 'loaded-late',
  setup({ onResolve, onLoad }) {
    const wanted = new RegExp(`^(?:${LATE.join('|')})$`);
    onResolve({ filter: wanted }, ({ path, importer, namespace, kind }) => {
      if (namespace === 'late') return path in SHARED ? { path: `./${path}.cjs`, external: true } : null;
      const isOurs = kind === 'import-statement' && !importer.includes('node_modules');
      return isOurs ? { path, namespace: 'late' } : null;
    });
    onLoad({ filter: /.*/, namespace: 'late' }, async ({ path }) => {
      const names = Object.keys((await import(path)) as object).filter(
        (name) => name !== 'default' && name !== 'module.exports',
      );
      const properties = names.map((name) => `get ${name}() { return load().${name}; }`);
      return {
        contents: `let loaded; const load = () => (loaded ??= require('${path}')); module.exports = { ${properties.join(', ')} };`,
        resolveDir: process.cwd(),
      };
    });
  },
};

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
