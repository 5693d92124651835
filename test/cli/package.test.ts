import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const IPO = join(ROOT, 'bin/ipo.cjs');
const built = existsSync(join(ROOT, 'dist/main.cjs')) ? false : 'dist/ is not built: run npm run build';
const directory = mkdtempSync(join(tmpdir(), 'ipo-package-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const run = (args: readonly string[], cwd = directory) =>
  spawnSync(process.execPath, [IPO, ...args], {
    encoding: 'utf8',
    cwd,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, IPO_TOKEN: 'a-token', XDG_CONFIG_HOME: directory },
  });

test('every command runs from the bundle, from any directory', { skip: built }, () => {
  const draft = join(ROOT, 'fixtures/policies/tighten.yaml');
  const ledger = join(ROOT, 'fixtures/ledger/shop.ndjson.gz');
  const nobody = 'http://127.0.0.1:1';
  const signed = join(directory, 'signed.json');
  writeFileSync(
    signed,
    JSON.stringify({
      apiVersion: 'ipo.dev/v1',
      kind: 'ImagePolicy',
      metadata: { name: 'signed' },
      spec: { signature: { required: true, identities: [{ identity: 'shop@example.com' }] } },
    }),
  );
  const calls: readonly (readonly [args: readonly string[], code: number, out: RegExp])[] = [
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
    [['--help'], 0, /Exit codes:/],
    [['whatif', draft, '--ledger', ledger], 0, /cluster-baseline/],
    [['whatif', draft, '--ledger', ledger, '-o', 'html'], 0, /^<!doctype html>/i],
    [['whatif', '--self-check', '--ledger', ledger], 0, /reproduced/i],
    [['check', 'nginx', '-p', draft, '--offline'], 1, /nginx/],
    [['check', `127.0.0.1:1/web@sha256:${'a'.repeat(64)}`, '-p', signed], 3, /unknown who signed it/],
    [['policy', 'lint', draft], 0, /notice: /],
    [['policy', 'lint', draft, '-o', 'sarif'], 0, /"2\.1\.0"/],
    [['policy', 'diff', draft, join(ROOT, 'fixtures/policies/loosen.yaml'), '-o', 'markdown'], 0, /spec/],
    [['policy', 'fmt', draft], 0, /kind: ImagePolicy/],
    [['policy', 'init', 'mine'], 0, /name: mine/],
    [['policy', 'schema'], 0, /"\$id"/],
    [['whatif', draft, '--server', nobody], 3, /^$/],
    [['whatif', draft, '--database', `sqlite:${join(directory, 'none.db')}`], 3, /^$/],
    [['whatif', 'list', '--server', nobody], 3, /^$/],
    [['policy', 'list', '--server', nobody], 3, /^$/],
    [['policy', 'apply', draft, '--dry-run', '--server', nobody], 3, /^$/],
    [['policy', 'whatif', 'shop', '--server', nobody], 3, /^$/],
  ];
  for (const [args, code, out] of calls) {
    const child = run(args);
    assert.equal(child.status, code, `ipo ${args.join(' ')}: ${child.stderr}`);
    assert.match(child.stdout, out, args.join(' '));
  }
});

test('the package holds the program, its pages and its licence, and no source', { skip: built }, (t) => {
  const child = spawnSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    encoding: 'utf8',
    cwd: ROOT,
  });
  if (child.error !== undefined) return t.skip('npm is not on the PATH');
  const [packed] = JSON.parse(child.stdout) as { files: { path: string }[] }[];
  const paths = packed?.files.map(({ path }) => path) ?? [];
  for (const path of [
    'bin/ipo.cjs',
    'dist/main.cjs',
    'dist/whatif.cjs',
    'dist/client.cjs',
    'dist/commands.cjs',
    'dist/database.cjs',
    'dist/registry.cjs',
    'dist/lib/zod.cjs',
    'daemon/ipod.cjs',
    'dist/ipod.cjs',
    'dist/replay-worker.cjs',
    'fixtures/ledger/shop.ndjson.gz',
    'fixtures/policies/tighten.yaml',
    'man/ipo.1',
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
  ]) {
    assert.ok(paths.includes(path), path);
  }
  for (const path of paths)
    assert.match(
      path,
      /^(bin\/ipo\.cjs|daemon\/ipod\.cjs|dist\/|fixtures\/(ledger|policies)\/|man\/|LICENSE|README\.md|CHANGELOG\.md|package\.json)/,
    );
  return undefined;
});

test(
  'what starts often is compiled with its file, and is ASCII, which halves its memory',
  { skip: built },
  () => {
    for (const name of [
      'main',
      'program',
      'whatif-index',
      'policy-index',
      'whatif',
      'check',
      'policy-lint',
    ]) {
      const text = readFileSync(join(ROOT, `dist/${name}.cjs`), 'utf8');
      assert.doesNotMatch(text, /[^\0-\x7f]/, name);
      assert.doesNotMatch(text, /=[\w$]+\(\(\)=>\{"use strict"/, name);
    }
  },
);

test(
  'help and lint load no streams and no promises of files, which take a tenth of their start',
  { skip: built },
  () => {
    const hook = join(directory, 'loaded.cjs');
    writeFileSync(
      hook,
      "process.on('exit', () => { process._rawDebug(process.moduleLoadList.join('\\n')); });",
    );
    const draft = join(ROOT, 'fixtures/policies/tighten.yaml');
    for (const args of [['--version'], ['--help'], ['whatif', '--help'], ['policy', 'lint', draft]]) {
      const child = spawnSync(process.execPath, ['--require', hook, IPO, ...args], { encoding: 'utf8' });
      assert.equal(child.status, 0, args.join(' '));
      assert.match(child.stderr, /^NativeModule events$/m);
      assert.doesNotMatch(
        child.stderr,
        /^NativeModule (?:stream|fs\/promises|internal\/fs\/promises|crypto)$/m,
        args.join(' '),
      );
    }
  },
);

test('a Node that is too old is told so in one line', () => {
  const old = join(directory, 'old.cjs');
  writeFileSync(old, "Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } });");
  const child = spawnSync(process.execPath, ['--require', old, IPO, '--version'], { encoding: 'utf8' });
  assert.equal(child.status, 3);
  assert.match(
    child.stderr,
    /^ipo needs Node\.js 24\.15 or newer; this is 20\.19\.0 \(.*\); in a clone, run npm ci: npx ipo then uses its Node\.js\n$/,
  );
});

test(
  'what is built is not built again, and the clone has its programs where npm looks for them',
  { skip: built },
  () => {
    const emitted = join(ROOT, 'dist/lib');
    const before = statSync(emitted).mtimeMs;
    // Newer than all that it was built from, whatever was edited since: only whether it is left alone is asked here.
    const now = new Date();
    utimesSync(emitted, now, now);
    const child = spawnSync(process.execPath, [join(ROOT, 'scripts/prepare.ts')], { encoding: 'utf8' });
    const after = statSync(emitted).mtimeMs;
    utimesSync(emitted, now, new Date(before));
    assert.equal(child.status, 0, child.stderr);
    assert.equal(Math.round(after / 1000), Math.round(now.getTime() / 1000));
    for (const name of ['ipo', 'ipod']) assert.ok(existsSync(join(ROOT, 'node_modules/.bin', name)), name);
  },
);

test('the lock file names no address', () => {
  assert.doesNotMatch(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'), /"resolved"/);
});

test('a reader that goes away ends the output, not the program', { skip: built }, () => {
  const child = spawnSync('sh', ['-c', `"${process.execPath}" "${IPO}" policy schema | head -c 10`], {
    encoding: 'utf8',
  });
  assert.equal(child.stderr, '');
  assert.equal(child.stdout.length, 10);
});

test(
  'a full disk behind stdout is said, and exits with 3',
  { skip: built || !existsSync('/dev/full') },
  () => {
    const child = spawnSync('sh', ['-c', `"${process.execPath}" "${IPO}" policy schema > /dev/full`], {
      encoding: 'utf8',
    });
    assert.equal(child.status, 3);
    assert.match(child.stderr, /^ipo: stdout: no space left on the device\n/);
  },
);
