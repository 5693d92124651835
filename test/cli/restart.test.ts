import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../bin/main.ts';
import type { Terminal } from '../../bin/terminal/terminal.ts';

const FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=512'];

test('a process that restarts is the same to the one that started it', (t) => {
  if (process.execve === undefined) return t.skip('this system cannot');
  const own = ['--import', 'data:text/javascript,'];
  const args = ['--', '-q', 'ü b', ''];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...own, join(import.meta.dirname, 'restarted.ts'), ...args],
    { encoding: 'utf8', input: 'a passphrase', env: { ...process.env, TOLD: 'yes' } },
  );
  assert.equal(status, 4, stderr);
  const [first, second, ...rest] = stderr.trim().split('\n');
  assert.ok(first === second && rest.length === 0, stderr);
  const told = { execArgv: [...own, ...FLAGS], args, told: 'yes', stdin: 'a passphrase' };
  assert.deepEqual(JSON.parse(stdout), told);
});

test('the verbs of a backup that read or write every row bound their heap before anything else', async () => {
  const bounded = async (...args: string[]): Promise<readonly string[] | null> => {
    let flags: readonly string[] | null = null;
    const terminal: Terminal = {
      out: () => {},
      err: () => {},
      env: {},
      tty: { in: false, out: false, err: false },
      columns: 100,
      stdin: (async function* none() {})(),
      restart: async (given) => {
        flags = given;
        throw new Error('the process would have restarted');
      },
    };
    await run(['backup', ...args], terminal);
    return flags;
  };
  assert.deepEqual(await bounded('create', '--out', 'never'), FLAGS);
  assert.deepEqual(await bounded('verify', 'never'), FLAGS);
  assert.deepEqual(await bounded('restore', 'never'), FLAGS);
  assert.deepEqual(await bounded('move'), FLAGS);
  assert.equal(await bounded('list', '--server', 'http://127.0.0.1:1'), null);
});
