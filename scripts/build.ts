import { readdir, readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { loadedLate, SHARED, withoutColourProbe } from './build/loaded-late.ts';

/**
 * Emits the package's program: `main.cjs`, small and quick to start, and beside it a file for each command, loaded when the
 * command runs. CommonJS in whole files, because forty small modules take a third of a second command's whole time to
 * find and link; what a command needs rarely (the page of a report) is in its file and evaluated only then.
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

/** Found by what needs them alone, since reading and compiling them takes a sixth of the start of a command that does not. */
const PARTS = ['src/app/registry/registry-facts.ts', 'src/app/start/whole-service.ts'];

/** What the start imports when a command runs, and a part that few runs need, stands beside it in a file of the same name. */
const loadedLater: Plugin = {
  name: 'loaded-later',
  setup(plugin) {
    plugin.onResolve(
      { filter: new RegExp(`/run/|/(?:${PARTS.map((path) => basename(path, '.ts')).join('|')})\\.ts$`) },
      ({ kind, path }) =>
        kind === 'dynamic-import' ? { path: `./${basename(path, '.ts')}.cjs`, external: true } : null,
    );
  },
};

/** The files of bin/run that commands import when they run; the others belong to one of them. Found from the commands, so that none is forgotten. */
const COMMANDS = await loadedWhenRun('bin/commands');

async function loadedWhenRun(folder: string): Promise<readonly string[]> {
  const texts = await Promise.all(
    (await readdir(new URL(folder, root))).map((name) =>
      readFile(new URL(`${folder}/${name}`, root), 'utf8'),
    ),
  );
  const found = texts.flatMap((text) => [...text.matchAll(/\bimport\('\.\.\/run\/([a-z-]+)\.ts'\)/g)]);
  return [...new Set(found.map(([, name = '']) => name))].toSorted();
}

/** Programs of their own, started by the service; the daemon itself becomes ipod. */
const WORKERS = [
  'replay-worker',
  'verify-worker',
  'log-worker',
  'call-worker',
  'hash-worker',
  'webhook-part',
  'service-part',
];

/** Found in node_modules when they are needed: native code, and libraries that read files of their own. */
const EXTERNAL = [
  'better-sqlite3',
  'pdfkit',
  'pg',
  '@octokit/rest',
  '@gitbeaker/rest',
  '@kubernetes/client-node',
];

const options: BuildOptions = {
  absWorkingDir: new URL('.', root).pathname,
  external: EXTERNAL,
  define: { 'import.meta.dirname': '__dirname' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node24',
  // require instead: an import() of a CommonJS file reads it twice.
  supported: { 'dynamic-import': false },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  logLevel: 'warning',
};
const named = (path: string): { in: string; out: string } => ({ in: path, out: basename(path, '.ts') });

await rm(new URL('dist', root), { recursive: true, force: true });
await build({
  ...options,
  entryPoints: ['bin/main.ts', ...COMMANDS.map((name) => `bin/run/${name}.ts`), ...PARTS].map((path) =>
    named(path),
  ),
  plugins: [withoutChildProcess, loadedLater, loadedLate, withoutColourProbe],
});
await build({
  ...options,
  entryPoints: Object.entries(SHARED).map(([out, path]) => ({ in: path, out })),
});
// What runs long has everything in its file from the start.
await build({
  ...options,
  entryPoints: [{ in: 'daemon/main.ts', out: 'ipod' }, ...WORKERS.map((name) => named(`daemon/${name}.ts`))],
  plugins: [withoutChildProcess, loadedLater],
});
