import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { diffPolicies, loadAuthoring, parsePolicies, type PolicyFile } from '../../src/policy/index.ts';
import { commentsOf } from '../../src/policy/format-comments.ts';
import { arbitrarySpec, shuffled } from './arbitrary.ts';
import { parsed } from './policy-text.ts';
import { runs } from '../runs.ts';

const { formatPolicies, judgeChanges, lintPolicies, showValue } = await loadAuthoring();

const document = (spec: unknown): unknown => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name: 'a' },
  spec,
});
const revisions = (file: PolicyFile): (string | undefined)[] => {
  assert.deepEqual(file.problems, []);
  return file.policies.map(({ policy }) => policy.revision);
};

test('the order of keys and the notation do not change the revision', () => {
  fc.assert(
    fc.property(arbitrarySpec, fc.nat(), (spec, seed) => {
      const [expected] = revisions(parsePolicies(JSON.stringify(document(spec)), 'x'));
      const mixed = shuffled(document(spec), seed);
      for (const text of [JSON.stringify(mixed), JSON.stringify(mixed, null, '\t'), stringify(mixed)]) {
        assert.deepEqual(revisions(parsePolicies(text, 'x')), [expected]);
      }
    }),
    { numRuns: runs(150) },
  );
});

test('defaults written out do not change the revision', () => {
  fc.assert(
    fc.property(arbitrarySpec, (spec) => {
      const before = parsed(spec).policy;
      assert.equal(parsed(before.spec).policy.revision, before.revision);
    }),
    { numRuns: runs(150) },
  );
});

test('the canonical form keeps every revision and every comment, and is its own canonical form', () => {
  const comment = fc.constantFrom('# why', '#', '# - not an entry', '# a: b');
  fc.assert(
    fc.property(
      fc.array(arbitrarySpec, { minLength: 1, maxLength: 3 }),
      fc.nat(),
      fc.array(fc.tuple(fc.nat(), comment), { maxLength: 8 }),
      (specs, seed, notes) => {
        const plain = specs
          .map((spec, i) => stringify(shuffled(document(spec), seed + i), { lineWidth: 0 }))
          .join('---\n');
        const text = withComments(plain, notes);
        const result = formatPolicies(text, 'x');
        assert.equal(result.kind, 'formatted', `${JSON.stringify(result)}\n${text}`);
        if (result.kind !== 'formatted') return;
        assert.deepEqual(revisions(parsePolicies(result.text, 'x')), revisions(parsePolicies(text, 'x')));
        assert.equal(commentsOf(result.text).length, commentsOf(text).length);
        const again = formatPolicies(result.text, 'x');
        assert.equal(again.kind === 'formatted' && again.text, result.text);
      },
    ),
    { numRuns: runs(200) },
  );
});

test('JSON formatted keeps its revision and is JSON', () => {
  fc.assert(
    fc.property(arbitrarySpec, fc.nat(), (spec, seed) => {
      const text = JSON.stringify(shuffled(document(spec), seed));
      const result = formatPolicies(text, 'x');
      assert.equal(result.kind, 'formatted');
      if (result.kind !== 'formatted') return;
      assert.deepEqual(JSON.parse(result.text), JSON.parse(text));
      assert.deepEqual(revisions(parsePolicies(result.text, 'x')), revisions(parsePolicies(text, 'x')));
    }),
    { numRuns: runs(50) },
  );
});

test('a policy differs from itself in nothing, and a difference read backwards points the other way', () => {
  const opposite = { tighter: 'looser', looser: 'tighter', neither: 'neither' };
  /** Judged under the policy after the change, so that they need not mirror. */
  const oneSided = new Set(['spec.provenance.trustedBuilders']);
  fc.assert(
    fc.property(arbitrarySpec, arbitrarySpec, (left, right) => {
      const [a, b] = [parsed(left).policy.spec, parsed(right).policy.spec];
      assert.deepEqual(diffPolicies(a, a), []);
      const there = judgeChanges(a, b);
      const back = new Map(judgeChanges(b, a).map((change) => [change.path, change]));
      assert.equal(back.size, there.length);
      for (const { path, direction, before, after } of there) {
        const mirrored = back.get(path);
        assert.deepEqual([mirrored?.before, mirrored?.after], [after, before]);
        if (!oneSided.has(path)) assert.equal(mirrored?.direction, opposite[direction], path);
        assert.ok(!/\p{Cc}/u.test(showValue(path, before)));
      }
    }),
    { numRuns: runs(200) },
  );
});

test('lint never throws: valid policies, mutated ones, arbitrary text', () => {
  const look = (text: string): void => {
    const file = parsePolicies(text, 'x');
    for (const { line, column, message, hint } of lintPolicies(
      [file, file],
      file.policies.map(({ policy }) => policy),
    )) {
      assert.ok(line >= 1 && column >= 1);
      assert.ok(message !== '' && !/\p{Cc}/u.test(message + (hint ?? '')), JSON.stringify(message));
    }
    const formatted = formatPolicies(text, 'x');
    if (formatted.kind === 'formatted') assert.deepEqual(formatPolicies(formatted.text, 'x'), formatted);
  };
  const scrap = fc.constantFrom(
    '\t',
    ' ',
    '\n',
    ':',
    '- ',
    '? ',
    '[',
    ']',
    '{',
    '}',
    '&a ',
    '*a ',
    '!x ',
    '"',
    "'",
    '#',
    '|',
    '>',
    '---\n',
    '...\n',
    '%',
    '<<: ',
    'null',
    '\u0000',
    '\uFEFF',
    '\ud800',
    '__proto__: 1',
    '\r',
  );
  fc.assert(
    fc.property(
      arbitrarySpec,
      fc.array(fc.tuple(fc.nat(), fc.nat(12), scrap), { maxLength: 5 }),
      (spec, edits) => {
        const text = edits.reduce(
          (at, [place, cut, put]) => {
            const from = place % (at.length + 1);
            return at.slice(0, from) + put + at.slice(from + cut);
          },
          stringify(document(spec)),
        );
        look(text);
      },
    ),
    { numRuns: runs(300) },
  );
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), look), { numRuns: runs(200) });
});

/** Puts comments on lines of their own, indented like the line below, but never into a text of several lines. */
function withComments(text: string, notes: readonly (readonly [number, string])[]): string {
  const lines = text.split('\n');
  for (const [place, note] of notes) {
    const at = place % lines.length;
    const below = lines[at] ?? '';
    if (!/^ *(- )?[A-Za-z]+:( |$)/.test(below) || /-----|^\s*[A-Za-z0-9+/=]{40,}$/.test(below)) continue;
    lines.splice(at, 0, `${/^ */.exec(below)?.[0] ?? ''}${note}`);
  }
  return lines.join('\n');
}
