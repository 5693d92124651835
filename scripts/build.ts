import { readFile, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { loadedLate, SHARED, withoutColourProbe } from './build/loaded-late.ts';
import { commandList, DEFINITION, outputName, verbFiles } from './build/rooms.ts';

/**
 * Emits the package's program: `main.cjs`, small and quick to start, and beside it a file for each command, loaded when the
 * command runs. CommonJS in whole files, because forty small modules take a third of a second command's whole time to
 * find and link; what a command needs rarely (the page of a report) is in its file and evaluated only then.
 */
const ROOT = new URL('../', import.meta.url).pathname;

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
    plugin.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, importer, resolveDir }) => {
      if (kind !== 'dynamic-import') return null;
      const file = relative(ROOT, join(resolveDir, path));
      const own = DEFINITION.test(importer) ? outputName(file) : null;
      const name = own ?? (PARTS.includes(file) ? basename(file, '.ts') : null);
      return name === null ? null : { path: `./${name}.cjs`, external: true };
    });
  },
};

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
  absWorkingDir: ROOT,
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

if ((await readFile(join(ROOT, 'bin/commands.ts'), 'utf8')) !== (await commandList()))
  throw new Error('bin/commands.ts is not what the folders of bin say: npm run commands');
await rm(join(ROOT, 'dist'), { recursive: true, force: true });
await build({
  ...options,
  entryPoints: [
    ...['bin/main.ts', ...PARTS].map((path) => named(path)),
    ...(await verbFiles()).map((path) => ({ in: path, out: outputName(path) })),
  ],
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
