import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, suite, test } from 'node:test';
import type { Command } from 'commander';
import { COMMANDS } from '../../bin/commands.ts';
import { shownBelow } from '../../bin/terminal/examples.ts';

/**
 * The package as somebody has it who installed it: packed, unpacked into an empty prefix, with what it depends on and nothing else. Every
 * command that the help names is run there, to a result or to an error that the exit codes tell.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const built = existsSync(join(ROOT, 'dist/main.cjs')) ? false : 'dist/ is not built: run npm run build';
const NOBODY = 'http://127.0.0.1:1';
const LEDGER = join(ROOT, 'fixtures/ledger/shop.ndjson.gz');
const DRAFT = join(ROOT, 'fixtures/policies/tighten.yaml');
const DIGEST = `sha256:${'a'.repeat(64)}`;
const home = mkdtempSync(join(tmpdir(), 'ipo-installed-'));
after(() => rmSync(home, { recursive: true, force: true }));

interface Locked {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
}

const MB = 1_000_000;

/** Bytes of all files under a folder. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Gives the folder of the installed package, or why there is none. */
function install(): string | null {
  const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', home], {
    ...{ cwd: ROOT, encoding: 'utf8' },
  });
  if (packed.error !== undefined) return null;
  assert.equal(packed.status, 0, packed.stderr);
  const prefix = join(home, 'prefix');
  const folder = join(prefix, 'node_modules/image-policy-operator');
  mkdirSync(folder, { recursive: true });
  const tar = join(home, packed.stdout.trim());
  const unpacked = spawnSync('tar', ['-xzf', tar, '-C', folder, '--strip-components=1'], {
    encoding: 'utf8',
  });
  assert.equal(unpacked.status, 0, unpacked.stderr);
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Locked;
  const paths = Object.entries(packages)
    // One inside another comes with it.
    .filter(([path, { dev = false, devOptional = false }]) => path !== '' && !dev && !devOptional)
    .map(([path]) => path)
    .filter((path) => path.lastIndexOf('node_modules/') === 0 && existsSync(join(ROOT, path)));
  // As links where the folders stand on one disk, since that takes a tenth of the time.
  for (const how of ['-al', '-a'])
    if (spawnSync('cp', [how, '--parents', ...paths, prefix], { cwd: ROOT }).status === 0) return folder;
  for (const path of paths) cpSync(join(ROOT, path), join(prefix, path), { recursive: true });
  return folder;
}

const ONE_OF: Readonly<Record<string, readonly string[]>> = {
  'ipo whatif': [DRAFT, '--ledger', LEDGER],
  'ipo check': [`127.0.0.1:1/web@${DIGEST}`, '-p', DRAFT, '--offline'],
  'ipo ledger verify': [LEDGER],
  'ipo demo': ['--listen', '127.0.0.1:0'],
  'ipo demo trackers': [],
  'ipo serve': ['--config', join(home, 'none.yaml')],
};

/** What a command must be given, with values that it takes. */
function argumentsOf(trail: string, command: Command): readonly string[] {
  const own = ONE_OF[trail];
  if (own !== undefined) return own;
  const values = command.registeredArguments
    .filter(({ required }) => required)
    .map((one) => {
      const name = one.name();
      if (one.argChoices !== undefined) return one.argChoices[0] ?? '';
      if (/policy|draft|document|file|report/i.test(name)) return DRAFT;
      if (/digest|image/i.test(name)) return DIGEST;
      return /export|ledger/i.test(name) ? LEDGER : '1';
    });
  const flags = command.options
    .filter(({ mandatory, long }) => mandatory || long === '--server')
    .flatMap(({ long, argChoices }) => [long ?? '', long === '--server' ? NOBODY : (argChoices?.[0] ?? '1')]);
  return [...values, ...flags];
}

function leaves(command: Command, above = 'ipo'): readonly (readonly [trail: string, command: Command])[] {
  const trail = `${above} ${command.name()}`;
  const below = shownBelow(command).flatMap((child) => leaves(child, trail));
  // One that has commands below it can do something itself as well.
  const own = below.length === 0 || ONE_OF[trail] !== undefined ? [[trail, command] as const] : [];
  return [...own, ...below];
}

async function run(
  ipo: string,
  args: readonly string[],
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [ipo, ...args], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home, IPO_TOKEN: 'a-token' },
  });
  let out = '';
  let err = '';
  // The demonstration goes on until it is told to end, and says where it is once it runs.
  const heard = (): void => {
    if (args[0] === 'demo' && args[1] !== 'trackers' && /http:\/\/127\.0\.0\.1:\d+/.test(out + err))
      child.kill('SIGTERM');
  };
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
    heard();
  });
  child.stderr.on('data', (data: Buffer) => {
    err += data.toString();
    heard();
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, out, err };
}

suite('the installed package', { skip: built }, async () => {
  const folder = built === false ? install() : null;
  const settle = (): (() => Promise<void>) => async () => {};
  const all: (readonly [string, Command])[] = [];
  for (const { load } of COMMANDS) all.push(...leaves((await load()).define(settle)));

  test('has every command that the help names', () => {
    assert.ok(all.length > 60, String(all.length));
  });

  test('is as small as it can be, and brings nothing that is in it already', (t) => {
    if (folder === null) return t.skip('npm is not on the PATH');
    const [tar = ''] = readdirSync(home).filter((name) => name.endsWith('.tgz'));
    assert.ok(statSync(join(home, tar)).size < 7 * MB, 'packed');
    assert.ok(sizeOf(join(folder, 'dist')) < 25 * MB, 'dist');
    const modules = join(home, 'prefix/node_modules');
    assert.ok(sizeOf(modules) < 110 * MB, 'installed');
    const manifests = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /(?:^|node_modules\/)(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path),
    );
    assert.ok(manifests.length <= 90, `${manifests.length} packages`);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Readonly<Record<string, string>>;
    };
    const bundled = readdirSync(join(folder, 'dist/lib')).map((name) => name.replace(/\.cjs.*$/, ''));
    for (const name of Object.keys(dependencies))
      assert.ok(!bundled.includes(name.replace('@', '').replace('/', '-')), `${name} is in dist/lib as well`);
    return undefined;
  });

  test('has every library whole', (t) => {
    if (folder === null) return t.skip('npm is not on the PATH');
    const program =
      "for (const name of fs.readdirSync('lib')) if (name.endsWith('.cjs')) require(path.resolve('lib', name));" +
      "for (const font of Object.values(require(path.resolve('lib/fonts.cjs')).FONTS)) new (require(path.resolve('lib/pdfkit.cjs')))({ font, subset: 'PDF/A-3a' }).text('x').end();";
    const child = spawnSync(process.execPath, ['-e', program], {
      cwd: join(folder, 'dist'),
      encoding: 'utf8',
    });
    assert.equal(child.status, 0, child.stderr);
    return undefined;
  });

  for (const [trail, command] of all)
    test(trail, { timeout: 120_000 }, async (t) => {
      if (folder === null) return t.skip('npm is not on the PATH');
      const args = [...trail.split(' ').slice(1), ...argumentsOf(trail, command)];
      const { code, out, err } = await run(join(folder, 'bin/ipo.cjs'), args);
      const said = `ipo ${args.join(' ')} exits with ${code}: ${out.slice(0, 200)}${err}`;
      assert.ok(code !== null && code >= 0 && code <= 5, said);
      assert.doesNotMatch(err, /Cannot find|unexpected fault|cannot start|unknown option/, said);
      if (code !== 0 && out === '') assert.match(err, /^(?:error|ipo): |^ {2}|: error: /m, said);
      return undefined;
    });
});
