import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Instructions of the Dockerfile, each on one line, without comments. */
const lines = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '');
const of = (instruction: string): string[] =>
  lines
    .filter((line) => line.startsWith(`${instruction} `))
    .map((line) => line.slice(instruction.length + 1));

test('what is copied from the project is there, and let through to the build', () => {
  const allowed = new Set(
    read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1)),
  );
  const sources = of('COPY')
    .filter((line) => !line.includes('--from='))
    .flatMap((line) => line.split(' ').slice(0, -1));
  assert.ok(sources.length >= 6);
  for (const source of sources) {
    assert.ok(existsSync(join(ROOT, source)), source);
    assert.ok(allowed.has(source), `${source} is left out by .dockerignore`);
  }
});

test('the build finds everything that it imports', () => {
  const copied = new Set(of('COPY').flatMap((line) => line.split(' ').slice(0, -1)));
  const build = read('scripts/build.ts');
  for (const [, folder = ''] of build.matchAll(/['`](bin|daemon|src)\//g))
    assert.ok(copied.has(folder), folder);
  const folders = [...copied].filter((path) => /^[a-z]+$/.test(path));
  const sources = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path)),
  );
  assert.ok(sources.length > 500);
  for (const source of sources)
    for (const [, path = ''] of read(source).matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)';/gm)) {
      const [folder = ''] = join(source, '..', path).split(sep);
      assert.ok(copied.has(folder), `${source} imports ${path}, which the Dockerfile does not copy`);
    }
});

test('what is copied from the build is what the build makes', () => {
  const manifest = JSON.parse(read('package.json')) as { bin: Record<string, string> };
  const copied = of('COPY')
    .filter((line) => line.includes('--from=build'))
    .join(' ');
  for (const program of Object.values(manifest.bin)) assert.ok(copied.includes(`/src/${program}`), program);
  assert.match(read('scripts/build.ts'), /out: 'ipod'/);
  assert.match(read('daemon/ipod.cjs'), /'\.\.\/dist\/ipod\.cjs'/);
});

test('it runs without a shell, without rights, and ends when it is told to', () => {
  const [entry = ''] = of('ENTRYPOINT');
  assert.deepEqual(JSON.parse(entry), [
    '/usr/local/bin/node',
    '--max-semi-space-size=16',
    '--heap-growing-percent=40',
    '/app/daemon/ipod.cjs',
  ]);
  const [health = ''] = of('HEALTHCHECK');
  assert.deepEqual(JSON.parse(health.slice(health.indexOf('['))), [
    '/usr/local/bin/node',
    '/app/daemon/ipod.cjs',
    '--health',
  ]);
  assert.deepEqual(of('USER'), ['65532:65532']);
  assert.deepEqual(of('STOPSIGNAL'), ['SIGTERM']);
  assert.deepEqual(of('ADD'), []);
  const last = lines.findLastIndex((line) => line.startsWith('FROM '));
  assert.ok(
    !lines.slice(last).some((line) => line.startsWith('RUN ')),
    'the last stage has no shell to run anything in',
  );
  for (const base of of('FROM')) assert.doesNotMatch(base, /:latest|^[^:]+$/, `${base} is not pinned`);
});

test('the Node.js of the image is one that the program takes', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? [];
  const [, given, sub] = /NODE_VERSION=(\d+)\.(\d+)\./.exec(read('Dockerfile')) ?? [];
  assert.equal(given, major);
  assert.ok(Number(sub) >= Number(minor));
});
