import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutLine, cutTo, toMarkdown } from '../../../src/adapters/markup/index.ts';
import type { Block } from '../../../src/trackers/index.ts';
import { MARKERS, paragraph } from '../tracker-parts.ts';

const [MARKER] = MARKERS;

function list(lengths: readonly number[]): Block {
  return { kind: 'list', items: lengths.map((length) => [{ kind: 'text', text: 'x'.repeat(length) }]) };
}

test('a text that fits is left as it is, to the last character', () => {
  const whole = toMarkdown([paragraph('one'), paragraph('two')], MARKER, 10_000);
  assert.equal(whole, `one\n\ntwo\n\n<!-- ${MARKER} -->`);
  assert.equal(toMarkdown([paragraph('one'), paragraph('two')], MARKER, whole.length), whole);
  assert.match(
    toMarkdown([paragraph('one'), paragraph('two'.repeat(99))], MARKER, 200),
    /^one\n\nCut .*: 1 of 2 lines are left out/,
  );
});

test('whatever the lengths of its lines, a text is cut below the limit and not far below it', () => {
  const shapes = {
    even: Array.from({ length: 5000 }, () => 40),
    growing: Array.from({ length: 3000 }, (_, at) => at / 10 + 1),
    shrinking: Array.from({ length: 3000 }, (_, at) => 300 - at / 10 + 1),
    'long first': [9000, ...Array.from({ length: 5000 }, () => 5)],
    'long last': [...Array.from({ length: 900 }, () => 5), 90_000],
    'one too long': [90_000],
    none: [],
  };
  for (const [name, lengths] of Object.entries(shapes)) {
    const text = toMarkdown([list(lengths)], MARKER, 20_000);
    assert.ok(text.length <= 20_000, name);
    assert.ok(text.endsWith(`<!-- ${MARKER} -->`), name);
    const sum = lengths.reduce((all, one) => all + one + 3, 0);
    const wanted = name.includes('too') || name.includes('last') ? 0 : Math.min(sum, 19_000);
    assert.ok(text.length >= wanted, `${name}: ${text.length}`);
  }
});

test('a text of any number of lines that fits to the last character is not cut', () => {
  for (const lines of [499, 501, 1234, 5003]) {
    const block = list(Array.from({ length: lines }, (_, at) => (at % 7) + 20));
    const whole = toMarkdown([block], MARKER, 1e9);
    assert.equal(toMarkdown([block], MARKER, whole.length), whole, `${lines}`);
  }
});

test('what is left out is counted in lines, of whichever block', () => {
  const blocks: Block[] = [
    paragraph('first'),
    { kind: 'code', text: 'a\nb\nc' },
    { kind: 'table', header: [[{ kind: 'text', text: 'h' }]], rows: [[[{ kind: 'text', text: 'r' }]]] },
    list([1, 1]),
  ];
  const seen: string[] = [];
  cutTo(
    blocks,
    (kept) => {
      seen.push(JSON.stringify(kept));
      return kept;
    },
    () => 2,
    1,
  );
  assert.match(seen[0] ?? '', /7 of 7 lines are left out/);
});

test('a line is cut without half a pair at its end', () => {
  assert.equal(cutLine('abc', 3), 'abc');
  assert.equal(cutLine('abcd', 3), 'ab…');
  assert.equal(cutLine('a😀bc', 3), 'a…');
  assert.ok(cutLine('😀'.repeat(300), 256).isWellFormed());
});
