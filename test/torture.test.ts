import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { failuresPage, listPage, resultPage } from '../scripts/torture/page.ts';
import { chunksOf, PARTS, type Part } from '../scripts/torture/parts.ts';
import { countsIn } from '../scripts/torture/reporter.ts';
import { commandOf, shareOf } from '../scripts/torture/run-chunk.ts';
import { keyOf, standingOf, State, type Kept, type Outcome } from '../scripts/torture/state.ts';
import { parseShare, turnsOf, type Share } from './runs.ts';

const ROOT = resolve(import.meta.dirname, '..');
const RUNS = 'test/runs.ts';
const sources = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `test/${name.replaceAll('\\', '/')}`);

/** The files of the tests that a file imports, itself or through others. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  const text = readFileSync(join(ROOT, file), 'utf8');
  for (const [, path = ''] of text.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)) {
    const imported = relative(ROOT, resolve(ROOT, dirname(file), path));
    if (seen.has(imported) || !sources.includes(imported)) continue;
    seen.add(imported);
    importsOf(imported, seen);
  }
  return seen;
}

suite('the parts of the torture', () => {
  test('hold every test file that has a longer form, once, and no other', () => {
    const longer = sources.filter((file) => file.endsWith('.test.ts') && importsOf(file).has(RUNS));
    const listed = PARTS.flatMap(({ files }) => files).filter((file) => file !== 'test/torture.test.ts');
    assert.deepEqual(listed.toSorted(), longer.filter((file) => file !== 'test/torture.test.ts').toSorted());
    assert.equal(new Set(PARTS.map(({ name }) => name)).size, PARTS.length);
  });

  test('read the environment in one place', () => {
    const reading = sources.filter((file) =>
      readFileSync(join(ROOT, file), 'utf8').includes("'IPO_TORTURE'"),
    );
    assert.deepEqual(reading, [RUNS, 'test/torture.test.ts']);
  });

  test('end within an hour, and divide only what counts its turns', () => {
    for (const { name, files, shares, minutes } of PARTS) {
      assert.ok(minutes > 0 && minutes <= 60, name);
      // A property draws other cases in each share; what is counted by its turns must say so.
      for (const file of shares > 1 ? files : [])
        assert.match(readFileSync(join(ROOT, file), 'utf8'), /\bturns\(/, file);
    }
  });

  test('make the whole of their chunks, each turn once', () => {
    fc.assert(
      fc.property(fc.nat({ max: 200_000 }), fc.constantFrom(...PARTS), (total, part) => {
        for (const file of part.files) {
          let next = 0;
          for (const chunk of chunksOf(part).filter((one) => one.file === file)) {
            const { from, until } = turnsOf(total, parseShare(shareOf(chunk, 1)) as Share);
            assert.equal(from, next);
            next = until;
          }
          assert.equal(next, total);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('of a sample have one in so many turns, none of them twice', () => {
    for (const part of PARTS)
      for (const file of part.files) {
        const turns = chunksOf(part, 50)
          .filter((chunk) => chunk.file === file)
          .map((chunk) => turnsOf(168_000, parseShare(shareOf(chunk, 1)) as Share));
        assert.equal(
          turns.reduce((sum, { from, until }) => sum + until - from, 0),
          168_000 / 50,
        );
        turns.reduce((last, { from, until }) => (assert.ok(from >= last), until), 0);
      }
  });
});

suite('a share', () => {
  test('is everything, a part of it, or nothing', () => {
    assert.deepEqual(parseShare('1'), { part: 1, of: 1, seed: null });
    assert.deepEqual(parseShare('3/20:4711'), { part: 3, of: 20, seed: 4711 });
    for (const none of [undefined, '', '0']) assert.equal(parseShare(none), null);
    for (const wrong of ['yes', '2', '0/3', '4/3', '1/0', '1/2:', '-1', '1/2:x'])
      assert.throws(() => parseShare(wrong), RangeError, wrong);
  });
});

suite('what is kept of a part', () => {
  const part: Part = { name: 'kills', about: 'kills', files: ['test/a.test.ts'], shares: 3, minutes: 1 };
  const code = { hash: 'now', commit: 'abc' };
  const outcome = (passed: boolean): Outcome => ({
    passed,
    started: '2026-11-20T06:00:00.000Z',
    ended: '2026-11-20T06:10:00.000Z',
    tests: 2,
    counts: { kills: 500 },
    skipped: [],
    failures: passed ? [] : [{ name: 'nothing is lost', message: 'row 3 is missing' }],
  });
  const keep = (results: readonly (boolean | null)[], hash = 'now'): Kept => ({
    code: hash,
    commit: 'abc',
    seed: 7,
    chunks: Object.fromEntries(
      chunksOf(part).flatMap((chunk, i) =>
        typeof results[i] === 'boolean' ? [[keyOf(chunk), outcome(results[i])]] : [],
      ),
    ),
  });

  test('says where it goes on', () => {
    for (const [kept, standing] of [
      [null, 'not run'],
      [keep([]), 'not run'],
      [keep([true]), 'begun'],
      [keep([true, true, true]), 'passed'],
      [keep([true, false]), 'failed'],
      [keep([true, true, true], 'before'), 'passed on other code'],
      [keep([true, true], 'before'), 'not run'],
    ] as const)
      assert.equal(standingOf(part, 1, kept, code), standing);
    assert.equal(
      standingOf(part, 50, keep([true, true, true]), code),
      'not run',
      'a sample is not the whole',
    );
  });

  test('is read as it was written', (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'ipo-torture-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const state = new State(join(directory, 'state'));
    assert.equal(state.read('kills'), null);
    state.write('kills', keep([true]));
    assert.deepEqual(state.read('kills'), keep([true]));
    writeFileSync(join(directory, 'state', 'kills.json'), '{"code":');
    assert.throws(() => state.read('kills'), /kills\.json cannot be read: remove it/);
  });

  test('is told with its counts, and a failure with the command that runs only it', () => {
    const failed = { part, kept: keep([true, false, true]) };
    assert.equal(
      resultPage([failed, { part, kept: null }], 1, code),
      'kills                30 min     FAILED, 2 of 3 chunks passed\n    6 tests, 1,500 kills\nkills                           not run\n',
    );
    assert.equal(
      failuresPage(failed, 1),
      '✖ nothing is lost\n    row 3 is missing\n' +
        'To run it by itself: IPO_TORTURE=2/3:7 node --test --test-global-setup=test/setup.ts test/a.test.ts\n',
    );
    const other = { part, kept: keep([true, true, true], 'before') };
    assert.match(listPage([other], 1, code), /passed on other code \(abc\); --again runs it/);
  });

  test('counts what tests say that they did', () => {
    assert.deepEqual(countsIn('counted: 12 kills on sqlite, 3 rows'), { 'kills on sqlite': 12, rows: 3 });
    assert.equal(countsIn('12 kills'), null);
    assert.equal(commandOf({ file: 'a', part: 1, of: 2 }, 3).split(' ')[0], 'IPO_TORTURE=1/2:3');
  });
});
