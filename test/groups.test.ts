import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { entryOf, groupsOf, inTurns, LONGEST } from '../scripts/test/groups.ts';

function rootWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'ipo-groups-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test('files of one folder share a process, at most eight of them, and each file is in one group', (t) => {
  const files = Array.from({ length: 10 }, (_, n) => `test/a/${n}.test.ts`).concat('test/b/0.test.ts');
  const root = rootWith(t, Object.fromEntries(files.map((file) => [file, `test('it', () => {});`])));
  const groups = groupsOf(root, files.toReversed());
  assert.deepEqual(
    groups.map(({ length }) => length),
    [8, 2, 1],
  );
  assert.deepEqual(groups.flat(), files);
});

test('a file that is about its whole process has one of its own', (t) => {
  const texts = [
    `import { spawn } from 'node:child_process';`,
    `import { Worker } from 'node:worker_threads';`,
    `process.env['TZ'] = 'UTC';`,
    `before(() => {});`,
    `afterEach(() => {});`,
    `process.memoryUsage();`,
  ];
  const files = texts.map((_, n) => `test/a/${n}.test.ts`).concat('test/a/8.test.ts', 'test/a/9.test.ts');
  const root = rootWith(t, {
    ...Object.fromEntries(texts.map((text, n) => [`test/a/${n}.test.ts`, text])),
    'test/a/8.test.ts': `suite('x', () => {\n  before(() => {});\n});`,
    'test/a/9.test.ts': `test('it', () => {});`,
  });
  assert.deepEqual(groupsOf(root, files), [
    ...texts.map((_, n) => [`test/a/${n}.test.ts`]),
    ['test/a/8.test.ts', 'test/a/9.test.ts'],
  ]);
});

test('files with a process of their own are run in turns with groups, and none is left out', () => {
  assert.deepEqual(inTurns([['1'], ['2'], ['3', '4'], ['5']]), [['1'], ['3', '4'], ['2'], ['5']]);
  assert.deepEqual(
    inTurns([
      ['1', '2'],
      ['3', '4'],
    ]),
    [
      ['1', '2'],
      ['3', '4'],
    ],
  );
});

test('the longest begin first, whatever else is in their group, each once', () => {
  const [first = '', second = ''] = LONGEST;
  assert.deepEqual(inTurns([['1'], ['2', second], ['3', first, second], ['4']]), [
    ['3', first, second],
    ['2', second],
    ['1'],
    ['4'],
  ]);
  for (const file of LONGEST) assert.ok(existsSync(join(import.meta.dirname, '..', file)), file);
});

test('the program of a group loads each file in turn, and one that breaks is told as a test of its own', () => {
  const program = entryOf(['test/a/1.test.ts', 'test/a/2.test.ts'], '../..');
  assert.match(
    program,
    /await import\("\.\.\/\.\.\/test\/a\/1\.test\.ts"\)\.catch\(\(error\) => test\("test\/a\/1\.test\.ts", /,
  );
  assert.ok(program.indexOf('1.test.ts') < program.indexOf('2.test.ts'));
});
