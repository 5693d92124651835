import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'ipo-built-'));
// Also for a benchmark, which is no test.
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Native, or with files of its own: found where the project has it. */
const OUTSIDE = [
  'better-sqlite3',
  'pdfkit',
  'pg',
  '@octokit/rest',
  '@gitbeaker/rest',
  '@kubernetes/client-node',
];
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

/** As in the package: the service in one process stands in a file of its own, since who supervises loads none of it. */
const WHOLE = 'src/app/start/whole-service.ts';
const wholeApart: Plugin = {
  name: 'whole-apart',
  setup(plugin) {
    plugin.onResolve({ filter: /\/whole-service\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './whole-service.cjs', external: true } : null,
    );
  },
};

let made: Promise<string> | null = null;

/** builtDaemon joins the daemon and its processes into files, as the package does: a process is killed often, and starts in a moment. */
export function builtDaemon(): Promise<string> {
  made ??= build({
    absWorkingDir: ROOT,
    entryPoints: [
      { in: 'test/daemon/run-ipod.ts', out: 'ipod' },
      { in: WHOLE, out: 'whole-service' },
      // Each program that it starts as a process or as a thread.
      ...readdirSync(join(ROOT, 'daemon'))
        .filter((name) => /-(?:part|worker)\.ts$/.test(name))
        .map((name) => ({ in: `daemon/${name}`, out: name.slice(0, -'.ts'.length) })),
    ],
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    define: { 'import.meta.dirname': '__dirname' },
    supported: { 'dynamic-import': false },
    external: OUTSIDE,
    plugins: [wholeApart],
    logLevel: 'error',
  }).then(() => join(folder, 'ipod.cjs'));
  return made;
}
