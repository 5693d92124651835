import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { emitAtStart } from './build/at-start.ts';
import { Bundled } from './build/bundled.ts';
import { EXTERNAL, Libraries } from './build/libraries.ts';
import { loadedLate, withoutColourProbe } from './build/loaded-late.ts';
import { pastIndex } from './build/past-index.ts';
import { commandFolders, commandList, DEFINITION, outputName, verbFiles } from './build/rooms.ts';
import { sourceCommit } from './build/commit.ts';
import { SHELVES, shelvesOf } from './build/shelves.ts';

/**
 * Emits the package's programs into dist: `main.cjs`, which tells the version and loads `program.cjs`, the parser and the help, both quick to start; a file for the definition of each command; a file for each command that is run often and offline, with
 * all that its start evaluates in it; files of many commands, each evaluated when it runs, kept apart by how much of the program they need
 * (`shelves.ts`), since a file is read whole; a file for each process and thread of the daemon, but one for those that need little more than the store; and in `lib` each library that they use, once. CommonJS in whole files, because forty small modules take a third of
 * a second command's whole time to find and link.
 */
const ROOT = new URL('../', import.meta.url).pathname;

/** A release is built into a folder of its own, so that the clone stays as it is, and has its version written in. */
const { out, 'as-version': version } = parseArgs({
  options: { out: { type: 'string', default: 'dist' }, 'as-version': { type: 'string' } },
}).values;
const OUT = resolve(ROOT, out);
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** What is run again and again, so that its start counts; a command that is not here starts a little later. */
const QUICK = ['bin/whatif/run.ts', 'bin/check/run.ts', 'bin/policy/lint.ts'];

/** What reads the arguments; the version is told without it. */
const PROGRAM = 'bin/program.ts';

/** Parts that few runs of a program need, found by what needs them: one stands with the commands, the other for itself. */
const REGISTRY = 'src/app/registry/registry-facts.ts';
const SERVICE = 'src/app/start/whole-service.ts';

/** Programs of the daemon that each need the store: apart from each other it would be in the package five times. */
const TOGETHER: readonly string[] = [
  'backup-worker',
  'call-worker',
  'evidence-worker',
  'hash-worker',
  'log-worker',
];

/** What a quick command keeps in its own file, so that it reads one file and no other. */
const INLINE = ['zod/mini', 'zod/v4/core'];

const others = (await verbFiles()).filter((path) => !QUICK.includes(path));
const shelves: Map<string, string> = await shelvesOf(others, ROOT);
// What the registry tells is asked by commands of several shelves.
shelves.set(REGISTRY, 'registry');

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

/** The list of commands: the definition of each stands in a file of its own, so that a command reads no other. */
const LIST = 'bin/commands.ts';
const definitionOf = (folder: string): string => `bin/${folder}/index.ts`;

/** Definitions are made for the one parser there is. */
const parserOfProgram: Plugin = {
  name: 'parser-of-program',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^commander$/ }, ({ path }) => ({ path, namespace: 'parser' }));
    onResolve({ filter: /^\.\/program\.cjs$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: 'parser' }, () => ({
      contents: `module.exports = require('./program.cjs').commander;`,
      resolveDir: ROOT,
    }));
  },
};

/** What a definition imports when its command runs, and a part, is found in the file where it stands; so is a definition. */
const loadedLater: Plugin = {
  name: 'loaded-later',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, importer, resolveDir }) => {
      const file = relative(ROOT, join(resolveDir, path));
      if (kind !== 'dynamic-import') return null;
      if (file === PROGRAM) return { path: './program.cjs', external: true };
      if (relative(ROOT, importer) === LIST) return { path: `./${outputName(file)}.cjs`, external: true };
      if (!DEFINITION.test(importer) && file !== REGISTRY) return null;
      return QUICK.includes(file)
        ? { path: `./${outputName(file)}.cjs`, external: true }
        : { path: file, namespace: 'elsewhere' };
    });
    onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path }) => ({
      contents: `module.exports = require('./${shelves.get(path) ?? ''}.cjs')['${outputName(path)}'];`,
      resolveDir: ROOT,
    }));
  },
};

/** The whole service, which one process of several runs, is a file of its own. */
const serviceApart: Plugin = {
  name: 'service-apart',
  setup({ onResolve }) {
    const name = basename(SERVICE, '.ts');
    onResolve({ filter: new RegExp(`/${name}\\.ts$`) }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${name}.cjs`, external: true } : null,
    );
  },
};

/** The file of many programs: each is evaluated when it is first asked for. */
const manyPrograms: Plugin = {
  name: 'many-programs',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^shelf:/ }, ({ path }) => ({
      path: path.slice('shelf:'.length),
      namespace: 'shelf',
    }));
    onLoad({ filter: /.*/, namespace: 'shelf' }, ({ path: shelf }) => ({
      contents: `module.exports = { ${[...shelves]
        .filter(([, on]) => on === shelf)
        .map(([path]) => `get '${outputName(path)}'() { return require('./${path}'); }`)
        .join(', ')} };`,
      resolveDir: ROOT,
    }));
  },
};

const options: BuildOptions = {
  absWorkingDir: ROOT,
  external: [...EXTERNAL, ...SHELVES.map((name) => `./${name}.cjs`)],
  define: {
    'import.meta.dirname': '__dirname',
    IPO_COMMIT: JSON.stringify(sourceCommit(ROOT)),
    IPO_VERSION: JSON.stringify(version ?? manifest.version),
  },
  outdir: OUT,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node24',
  // require instead: an import() of a CommonJS file reads it twice.
  supported: { 'dynamic-import': false },
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
  // The licence of each package stands in THIRD-PARTY.txt.
  legalComments: 'none',
  logLevel: 'warning',
};

if ((await readFile(join(ROOT, 'bin/commands.ts'), 'utf8')) !== (await commandList()))
  throw new Error('bin/commands.ts is not what the folders of bin say: npm run commands');
await rm(OUT, { recursive: true, force: true });
const bundled = new Bundled();
const emit = async (more: BuildOptions): Promise<void> =>
  bundled.add((await build({ ...options, ...more })).metafile);
/** What is started again and again is read sooner with short names. The others keep theirs, by which a stack trace in a log is understood. */
const emitOften = async (more: BuildOptions): Promise<void> =>
  bundled.add(await emitAtStart({ ...options, minifyIdentifiers: true, ...more }));
const libraries = await Libraries.find(ROOT, ['bin', 'daemon', 'src']);
const starting = [
  withoutChildProcess,
  loadedLater,
  serviceApart,
  loadedLate(libraries, INLINE),
  libraries.plugin(),
  withoutColourProbe,
];
await emitOften({
  entryPoints: [
    { in: 'bin/main.ts', out: 'main' },
    { in: PROGRAM, out: 'program' },
  ],
  plugins: [pastIndex, ...starting],
});
await emitOften({
  entryPoints: (await commandFolders())
    .map(definitionOf)
    .map((path) => ({ in: path, out: outputName(path) })),
  plugins: [pastIndex, parserOfProgram, ...starting],
});
await emitOften({
  entryPoints: QUICK.map((path) => ({ in: path, out: outputName(path) })),
  plugins: [pastIndex, ...starting],
});
await emit({
  entryPoints: SHELVES.map((name) => ({ in: `shelf:${name}`, out: name })),
  plugins: [
    withoutChildProcess,
    manyPrograms,
    loadedLater,
    serviceApart,
    pastIndex,
    loadedLate(libraries, []),
    libraries.plugin(),
    withoutColourProbe,
  ],
});
// What runs long has everything of ours in its file from the start. Threads and processes that need the store, and little more, share one.
const programs = (await readdir(join(ROOT, 'daemon')))
  .filter((name) => /-(?:worker|part)\.ts$/.test(name))
  .map((name) => basename(name, '.ts'));
for (const name of TOGETHER) shelves.set(`daemon/${name}.ts`, 'workers');
await emit({
  entryPoints: [
    { in: 'daemon/main.ts', out: 'ipod' },
    { in: SERVICE, out: basename(SERVICE, '.ts') },
    ...programs
      .filter((name) => !TOGETHER.includes(name))
      .map((name) => ({ in: `daemon/${name}.ts`, out: name })),
    { in: 'shelf:workers', out: 'workers' },
  ],
  plugins: [withoutChildProcess, manyPrograms, serviceApart, pastIndex, libraries.plugin()],
});
for (const name of TOGETHER)
  await writeFile(
    join(OUT, `${name}.cjs`),
    `'use strict';\nrequire('./workers.cjs')['${outputName(`daemon/${name}.ts`)}'];\n`,
  );
bundled.add(await libraries.emit(options));
bundled.write(ROOT, OUT);
