import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import {
  counted,
  cutEnd,
  cutMiddle,
  displayWidth,
  formatCount,
  formatShare,
  markdownCell,
  markdownCode,
  markdownTable,
  markdownText,
  toYaml,
  wrapWords,
} from '../../src/render/index.ts';
import { assertInert, cellsOf } from './markdown-check.ts';

test('counts have commas, and one is singular', () => {
  assert.deepEqual([0, 999, 1000, 1_234_567].map(formatCount), ['0', '999', '1,000', '1,234,567']);
  assert.deepEqual(
    [counted(1, 'row'), counted(0, 'row'), counted(2, 'entry', 'entries')],
    ['1 row', '0 rows', '2 entries'],
  );
});

test('a share never says none or all where it is not so', () => {
  assert.equal(formatShare(1, 3), '33.3 %');
  assert.equal(formatShare(1, 100_000), '< 0.1 %');
  assert.equal(formatShare(99_999, 100_000), '> 99.9 %');
  assert.deepEqual([formatShare(0, 10), formatShare(10, 10), formatShare(0, 0)], ['0 %', '100 %', '0 %']);
});

test('cut texts fit their columns and keep both ends', () => {
  assert.equal(cutMiddle('registry.example.com/shop/cart:1.2.3', 20), 'registry.…cart:1.2.3');
  assert.equal(cutEnd('a long sentence', 8), 'a long…');
  assert.equal(displayWidth('漢字'), 4);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, max) => {
      assert.ok(displayWidth(cutMiddle(text, max)) <= max);
      assert.ok(displayWidth(cutEnd(text, max)) <= max);
    }),
  );
});

test('wrapped lines fit and lose no word', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1 }),
      fc.integer({ min: 4, max: 60 }),
      (words, max) => {
        const lines = wrapWords(words.join(' '), max);
        assert.ok(lines.every((line) => displayWidth(line) <= max));
        assert.equal(lines.join('').replaceAll(' ', ''), words.join(''));
      },
    ),
  );
});

test('no foreign text leaves a code span, in running text or in a table', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[`|\\ @<a\n]{0,12}$/)),
      (text) => {
        assertInert(markdownCode(text));
        const cell = markdownCell(text);
        const [, , row = ''] = markdownTable(
          [{ heading: 'a' }, { heading: 'b', numeric: true }],
          [[cell, '1']],
        ).split('\n');
        assert.equal(cellsOf(row).length, 2, row);
        cellsOf(row).forEach(assertInert);
      },
    ),
  );
});

test('running text keeps its words and loses its markup', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => assertInert(markdownText(text))));
  assert.equal(markdownText('would_deny counts'), 'would\\_deny counts');
  assert.deepEqual(['1. x', '2) y', '- z', '+ z'].map(markdownText), ['1\\. x', '2\\) y', '\\- z', '\\+ z']);
});

test('YAML quotes a string that a reader of YAML 1.1 takes for something else', () => {
  const value = {
    as_of: '2026-11-20T06:00:00Z',
    newest: '2026-11-20T06:00:00.123456+02:00',
    by_day: [{ date: '2026-11-01' }],
    '2026-11-02': 'no',
    clock: '12:30:45',
    digest: `sha256:${'0'.repeat(64)}`,
  };
  const text = toYaml(value);
  assert.match(text, /^as_of: "2026-11-20T06:00:00Z"$/m);
  assert.match(text, /date: "2026-11-01"/);
  for (const version of ['1.1', '1.2'] as const) assert.deepEqual(parse(text, { version }), value);
});

test('YAML says what the JSON says: no line is folded, nothing is an alias', () => {
  const shared = { words: 'a word '.repeat(40).trim() };
  const text = toYaml({ b: shared, a: shared });
  assert.equal(text, `b:\n  words: ${shared.words}\na:\n  words: ${shared.words}\n`);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json: unknown = JSON.parse(JSON.stringify(value)); // -0 is 0 in JSON
      assert.deepEqual(JSON.stringify(parse(toYaml(json))), JSON.stringify(json));
    }),
  );
});
