import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePolicies } from '../../src/policy/index.ts';

const rules = (text: string): string[] => parsePolicies(text, 'bomb').problems.map(({ rule }) => rule);

test('an alias bomb of ten levels is refused at its aliases, unexpanded', () => {
  const levels = Array.from(
    { length: 10 },
    (_, i) =>
      `l${i}: &l${i} [${Array.from({ length: 10 }, () => (i === 0 ? 'lol' : `*l${i - 1}`)).join(', ')}]`,
  );
  const { problems } = parsePolicies(levels.join('\n'), 'bomb');
  assert.equal(problems.length, 90);
  assert.ok(problems.every(({ rule }) => rule === 'alias'));
  assert.deepEqual([problems[0]?.line, problems[0]?.column], [2, 10]);
});

for (const [name, unit] of Object.entries({
  lists: '[',
  mappings: '{"a":',
  'entries on one line': '- ',
  questions: '? ',
  colons: 'a: ',
})) {
  test(`nesting of 100,000 levels is refused at the level that is too deep: ${name}`, () => {
    const text = unit.repeat(100_000).slice(0, 262_144);
    const { problems } = parsePolicies(text, 'bomb');
    assert.deepEqual(
      problems.map(({ rule, line }) => [rule, line]),
      [['depth', 1]],
    );
    // Found while reading: the place lies within the first levels, so nothing after it was looked at.
    assert.ok((problems[0]?.column ?? Infinity) <= 70 * unit.length);
  });
}

test('64 levels are read, however useless', () => {
  assert.deepEqual(rules(`${'['.repeat(60)}${']'.repeat(60)}`), ['type']);
});

test('a file above 256 KiB is refused unread, one of 256 KiB is not', () => {
  const policy = 'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: {name: a}\nspec: {}\n#';
  assert.deepEqual(rules(policy + 'x'.repeat(262_144 - policy.length)), []);
  assert.deepEqual(rules(policy + 'x'.repeat(262_145 - policy.length)), ['size']);
  assert.deepEqual(rules('é'.repeat(131_073)), ['size']);
});

test('tens of thousands of fields, duplicates, faults or aliases end in 200 problems and a count', () => {
  const counts = {
    fields: Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n'),
    duplicates: 'a: 1\n'.repeat(40_000),
    faults: '- @b\n'.repeat(30_000),
    aliases: `- &a b\n${'- *a\n'.repeat(30_000)}`,
  };
  for (const [name, text] of Object.entries(counts)) {
    const { problems } = parsePolicies(text, 'bomb');
    assert.equal(problems.length, 201, name);
    assert.equal(problems.at(-1)?.rule, 'more', name);
    assert.match(problems.at(-1)?.message ?? '', /^[0-9]+ more problems/);
  }
});
