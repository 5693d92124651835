import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, suite, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

/** Made is a release that a test made. */
export interface Made {
  /** A folder of the test, which goes with it. */
  readonly folder: string;
  /** What the release wrote. */
  readonly out: string;
  /** Name of the archive with the standalone program. */
  readonly archive: string;
  readonly version: string;
}

/** testProgram tests the standalone program of a release. */
export function testProgram({ folder, out, archive, version }: Made): void {
  suite('the standalone program', () => {
    const place = join(folder, 'program');
    const program = join(place, 'ipo');
    // No Node.js, and nothing of the clone.
    const env = { PATH: '/nowhere', HOME: place, LANG: 'C.UTF-8' };
    const run = (...args: readonly string[]) =>
      spawnSync(program, args, { encoding: 'utf8', cwd: place, env, maxBuffer: 1 << 26 });
    before(() => {
      mkdirSync(place);
      execFileSync('tar', ['-xzf', join(out, archive), '-C', place]);
    });

    test('is one file of at most 140 MB, and runs without Node.js', () => {
      assert.ok(statSync(program).size <= 140e6);
      // Nothing of the machine that made it, so that another one makes the same.
      assert.ok(!readFileSync(program).includes('/ipo-binary-'));
      assert.equal(run('--version').stdout, `${version}\n`);
      assert.equal(run('no-such-command').status, 2);
      writeFileSync(join(place, 'policy.yaml'), run('policy', 'init').stdout);
      assert.equal(run('policy', 'lint', 'policy.yaml').status, 0);
    });

    test('answers as the package does', () => {
      const args = ['whatif', join(ROOT, 'fixtures/policies/tighten.yaml')];
      const ledger = ['--ledger', join(ROOT, 'fixtures/ledger/shop.ndjson.gz'), '-o', 'json'];
      const here = spawnSync(process.execPath, [join(ROOT, 'bin/ipo.cjs'), ...args, ...ledger], {
        ...{ encoding: 'utf8', env, maxBuffer: 1 << 26 },
      });
      assert.equal(run(...args, ...ledger).stdout, here.stdout);
    });

    test('runs the service with its database, threads and processes, and leaves nothing behind', async () => {
      const demo = spawn(program, ['demo', '--listen', '127.0.0.1:0'], {
        cwd: place,
        env: { ...env, TMPDIR: place },
      });
      let said = '';
      demo.stdout.on('data', (text: Buffer) => (said += text.toString()));
      while (!said.includes('openapi.json')) await once(demo.stdout, 'data');
      const value = (name: string): string => new RegExp(`${name}=(\\S+)`).exec(said)?.[1] ?? '';
      const [, draft = ''] = /(\S+tighten\.yaml)/.exec(said) ?? [];
      const replayed = spawnSync(program, ['whatif', draft, '--server', '-o', 'json'], {
        encoding: 'utf8',
        cwd: place,
        env: { ...env, IPO_SERVER: value('IPO_SERVER'), IPO_TOKEN: value('IPO_TOKEN') },
        maxBuffer: 1 << 26,
      });
      assert.equal(replayed.status, 0, replayed.stderr);
      assert.equal(JSON.parse(replayed.stdout).evaluated, 5000);
      demo.kill('SIGINT');
      await once(demo, 'exit');
      assert.deepEqual(
        readdirSync(place).filter((name) => name.startsWith('ipo-')),
        [],
      );
    });
  });
}
