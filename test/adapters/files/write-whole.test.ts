import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
import { writeWhole } from '../../../src/adapters/files/index.ts';

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
  assert.equal(readFileSync(at('file'), 'utf8'), 'kept');
});
