import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';

/**
 * Emits the package's program: `main.cjs`, small and quick to start, and beside it as modules what a command loads when it
 * runs, with a chunk for each part that several share. The start is CommonJS because a module takes longer to load.
 */
const root = new URL('../', import.meta.url);

/**
 * commander loads node:child_process for commands that are programs of their own, which ours are not; loading it would
 * take a tenth of the whole start.
 */
const withoutChildProcess: Plugin = {
  name: 'without-child-process',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer, path }) =>
      /node_modules\/commander\//.test(importer) ? { path, namespace: 'absent' } : null,
    );
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'export default {};' }));
  },
};

/** What the start imports when a command runs stands beside it, in a file of the same name. */
const loadedLater: Plugin = {
  name: 'loaded-later',
  setup({ onResolve }) {
    onResolve({ filter: /\/(run|app)\// }, ({ kind, path }) => {
      if (kind !== 'dynamic-import') return null;
      return { path: path.includes('/app/') ? './app.js' : `./${basename(path, '.ts')}.js`, external: true };
    });
  },
};

const common = {
  absWorkingDir: new URL('.', root).pathname,
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  logLevel: 'warning',
} satisfies BuildOptions;

await rm(new URL('dist', root), { recursive: true, force: true });
await build({
  ...common,
  entryPoints: ['bin/main.ts'],
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  plugins: [withoutChildProcess, loadedLater],
});
await build({
  ...common,
  entryPoints: [{ in: 'src/app/index.ts', out: 'app' }, 'bin/run/*.ts'],
  entryNames: '[name]',
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  splitting: true,
  // Libraries written for CommonJS ask for Node's own modules through require.
  banner: {
    js: "import { createRequire as ipoRequire } from 'node:module'; const require = ipoRequire(import.meta.url);",
  },
});
