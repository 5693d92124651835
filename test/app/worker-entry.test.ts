import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { forEnvironment, ONE_THREAD } from '../../src/app/programs/worker-entry.ts';

const FLAGS = [
  '--max-semi-space-size=4',
  '--max-old-space-size=128',
  '--heap-growing-percent=40',
  ONE_THREAD,
];

test('the standalone program gives its processes the flags that Node.js takes from the environment', () => {
  const options = forEnvironment(FLAGS);
  assert.equal(options, '--max-semi-space-size=4 --max-old-space-size=128');
  const run = (NODE_OPTIONS: string) =>
    spawnSync(process.execPath, ['-e', ''], { env: { ...process.env, NODE_OPTIONS }, encoding: 'utf8' });
  assert.equal(run(options).status, 0);
  assert.match(run(FLAGS.join(' ')).stderr, /is not allowed in NODE_OPTIONS/, 'why some are left out');
});
