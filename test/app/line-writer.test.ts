import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { suite, test, type TestContext } from 'node:test';

const WRITER = resolve(import.meta.dirname, '../../src/app/processes/line-writer.ts');
/** More than a pipe or a socket holds. */
const LINES = 20_000;
const SAID = `{"message":"${'x'.repeat(100)}"}`;

/** A process that logs lines to its standard output and ends by itself. */
function logging(t: TestContext, stdout: 'pipe' | number): ChildProcess {
  const code = `const { LineWriter } = await import(${JSON.stringify(WRITER)});
    const lines = new LineWriter(1);
    for (let n = 0; n < ${LINES}; n += 1) lines.line(${JSON.stringify(SAID)});
    await lines.end();
    process.exitCode = 7;`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', stdout, 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-lines-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const fifos = spawnSync('mkfifo', ['--version']).status === 0;

suite('The log of the daemon', () => {
  test('a daemon ends although nobody reads the socket that its log goes to', async (t) => {
    const child = logging(t, 'pipe');
    assert.deepEqual(await once(child, 'exit', { signal: AbortSignal.timeout(20_000) }), [7, null]);
  });

  test(
    'a daemon ends although nobody reads the pipe that its log goes to',
    { skip: fifos ? false : 'there is no mkfifo here' },
    async (t) => {
      const pipe = join(folderOf(t), 'log');
      spawnSync('mkfifo', [pipe]);
      const both = openSync(pipe, 'r+'); // open at both ends, so that it takes what fits
      t.after(() => closeSync(both));
      const child = logging(t, both);
      assert.deepEqual(await once(child, 'exit', { signal: AbortSignal.timeout(20_000) }), [7, null]);
    },
  );

  test('who reads late still reads every line', async (t) => {
    const child = logging(t, 'pipe');
    await new Promise((wait) => setTimeout(wait, 500));
    let text = '';
    child.stdout?.on('data', (bytes: Buffer) => (text += bytes.toString()));
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 7);
    assert.equal(text, `${SAID}\n`.repeat(LINES));
  });

  test('a file has every line', async (t) => {
    const file = join(folderOf(t), 'log');
    const fd = openSync(file, 'w');
    t.after(() => closeSync(fd));
    await once(logging(t, fd), 'exit');
    assert.equal(readFileSync(file, 'utf8'), `${SAID}\n`.repeat(LINES));
  });

  test('a reader that went away ends nothing', async (t) => {
    const child = logging(t, 'pipe');
    child.stdout?.destroy();
    assert.deepEqual(await once(child, 'exit'), [7, null]);
  });
});
