import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { entryOf } from '../scripts/test/groups.ts';

const ROOT = resolve(import.meta.dirname, '..');

const TESTS = `
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
const later = (throwing) => async () => { await sleep(1); throwing(); await new Promise(() => {}); };
test('a timer throws', later(() => setTimeout(() => { throw new Error('x'); })));
test('a tick throws', later(() => process.nextTick(() => { throw new Error('x'); })));
test('a promise is rejected', later(() => void Promise.reject(new Error('x'))));
suite('a suite', () => {
  test('one in it', async (t) => { await sleep(1); await t.test('one below it', () => {}); });
  suite('another', () => void test('fails', later(() => setImmediate(() => { throw new Error('x'); }))));
});
test('the next one', () => {});
`;

test('an error that nobody catches fails the test that it comes from, and suites hold their tests', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-test-of-call-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [file, program] = [join(folder, 'a.test.mjs'), join(folder, 'program.mjs')];
  writeFileSync(file, TESTS);
  writeFileSync(program, entryOf([relative(ROOT, file)], ROOT));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', program], {
    ...{ cwd: folder, env, encoding: 'utf8', timeout: 60_000 },
  });
  const results = stdout.split('\n').filter((line) => /^ *(?:not )?ok /.test(line));
  assert.deepEqual(
    results.map((line) => line.replace(/ \d+ - /, ' ')),
    [
      'not ok a timer throws',
      'not ok a tick throws',
      'not ok a promise is rejected',
      '        ok one below it',
      '    ok one in it',
      '        not ok fails',
      '    not ok another',
      'not ok a suite',
      'ok the next one',
    ],
  );
});
