import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

/** Emits the package's program: one small entry, and a chunk for each part that a command loads when it needs it. */
const root = new URL('../', import.meta.url);
await rm(new URL('dist', root), { recursive: true, force: true });
await build({
  absWorkingDir: new URL('.', root).pathname,
  entryPoints: ['bin/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  logLevel: 'warning',
  // Libraries written for CommonJS ask for Node's own modules through require.
  banner: { js: "import { createRequire as ipoRequire } from 'node:module'; const require = ipoRequire(import.meta.url);" },
});
