import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { writeStreamWhole, writeWhole } from '../../../src/adapters/files/index.ts';

const directory = mkdtempSync(join(tmpdir(), 'ipo-files-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const at = (name: string): string => join(directory, name);

test('writes a file, makes its directories and leaves nothing beside it', async () => {
  await writeWhole(at('a/b/c.json'), 'x');
  assert.equal(readFileSync(at('a/b/c.json'), 'utf8'), 'x');
  assert.deepEqual(readdirSync(at('a/b')), ['c.json']);
});

test('follows a link and keeps the mode of what is there', async () => {
  writeFileSync(at('real'), 'old');
  chmodSync(at('real'), 0o640);
  symlinkSync('real', at('link'));
  symlinkSync('link', at('link2'));
  await writeWhole(at('link2'), 'new');
  assert.ok(lstatSync(at('link')).isSymbolicLink() && lstatSync(at('link2')).isSymbolicLink());
  assert.equal(readFileSync(at('real'), 'utf8'), 'new');
  assert.equal(statSync(at('real')).mode & 0o777, 0o640);
});

test(
  'writes through an open descriptor, also where it looks like a link to a file',
  { skip: !existsSync('/proc/self/fd') },
  () => {
    const program = `
    import { writeWhole } from ${JSON.stringify(resolve(import.meta.dirname, '../../../src/adapters/files/index.ts'))};
    await writeWhole(${JSON.stringify(at('descriptor'))}, 'second\\n');
  `;
    symlinkSync('/proc/self/fd/1', at('descriptor'));
    const script = `(printf 'first\\n'; "${process.execPath}" --input-type=module -e "$1") > "$2"`;
    const child = spawnSync('sh', ['-c', script, 'sh', program, at('both')], { encoding: 'utf8' });
    assert.equal(child.stderr, '');
    assert.equal(readFileSync(at('both'), 'utf8'), 'first\nsecond\n');
    assert.ok(lstatSync(at('descriptor')).isSymbolicLink());
  },
);

test('says what is wrong, and leaves what was there', async () => {
  mkdirSync(at('folder'));
  symlinkSync('loop', at('loop'));
  writeFileSync(at('file'), 'kept');
  await assert.rejects(writeWhole(at('folder'), 'x'), { code: 'unwritable', message: /is a directory/ });
  await assert.rejects(writeWhole(at('loop'), 'x'), {
    code: 'unwritable',
    message: /too many symbolic links/,
  });
  await assert.rejects(writeWhole(at('file/x'), 'x'), { code: 'unwritable' });
  for (const path of ['folder', 'loop', 'file/x'])
    await assert.rejects(writeStreamWhole(at(path), stream('x')), { code: 'unwritable' }, path);
  assert.equal(readFileSync(at('file'), 'utf8'), 'kept');
});

test(
  'a stream is written whole over a file in shared memory, through a link, and into a pipe as it is',
  { skip: !existsSync('/dev/shm') },
  async () => {
    const memory = mkdtempSync('/dev/shm/ipo-files-');
    after(() => rmSync(memory, { recursive: true, force: true }));
    const file = join(memory, 'backup');
    for (const write of [
      (text: string) => writeStreamWhole(file, stream(text), { asIs: true }),
      (text: string) => writeWhole(file, text),
    ]) {
      await write('first');
      await write('second');
      assert.equal(readFileSync(file, 'utf8'), 'second', 'nothing is appended');
      await assert.rejects(writeStreamWhole(file, failing()), /half written/);
      assert.equal(readFileSync(file, 'utf8'), 'second', 'what was there stays');
      assert.deepEqual(readdirSync(memory), ['backup']);
    }
    symlinkSync('backup', join(memory, 'link'));
    await writeStreamWhole(join(memory, 'link'), stream('third'));
    assert.ok(lstatSync(join(memory, 'link')).isSymbolicLink());
    assert.equal(readFileSync(file, 'utf8'), 'third');
    spawnSync('mkfifo', [join(memory, 'pipe')]);
    const reader = spawn('cat', [join(memory, 'pipe')], { stdio: ['ignore', 'pipe', 'inherit'] });
    let read = '';
    reader.stdout.on('data', (chunk: Buffer) => (read += chunk.toString('utf8')));
    const ended = new Promise((done) => reader.on('close', done));
    await writeStreamWhole(join(memory, 'pipe'), stream('through'));
    await ended;
    assert.equal(read, 'through');
    assert.ok(lstatSync(join(memory, 'pipe')).isFIFO());
  },
);

async function* stream(text: string): AsyncGenerator<string> {
  yield text;
}

async function* failing(): AsyncGenerator<string> {
  yield 'x';
  throw new Error('half written');
}
