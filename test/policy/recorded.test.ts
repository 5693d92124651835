import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRecordedPolicy } from '../../src/policy/index.ts';

const spec = { severityThreshold: 'HIGH', ignoreUnfixed: null, ofAnEarlierRelease: { a: 1 } };

/** nested makes a value of so many levels. */
function nested(levels: number, kind: 'list' | 'mapping'): unknown {
  let value: unknown = kind === 'list' ? [] : {};
  for (let i = 1; i < levels; i += 1) value = kind === 'list' ? [value] : { a: value };
  return value;
}

test('a field of an earlier release is left out; name and revision are taken as given', () => {
  const policy = parseRecordedPolicy({ spec }, 'shop', 'rev-1');
  assert.deepEqual([policy?.name, policy?.revision], ['shop', 'rev-1']);
  assert.equal(policy?.spec.severityThreshold, 'HIGH');
  assert.ok(policy !== null && !('ofAnEarlierRelease' in policy.spec));
});

for (const kind of ['list', 'mapping'] as const) {
  test(`a recorded policy of 100,000 levels is not at hand: ${kind}`, () => {
    for (const deep of [
      { spec: nested(100_000, kind) },
      { spec: { ...spec, more: nested(100_000, kind) } },
    ]) {
      assert.equal(parseRecordedPolicy(deep, 'shop', 'rev-1'), null);
    }
  });

  test(`63 levels below the spec are looked at, 64 are too many: ${kind}`, () => {
    assert.ok(parseRecordedPolicy({ spec: { ...spec, more: nested(63, kind) } }, 'shop', 'rev-1'));
    assert.equal(parseRecordedPolicy({ spec: { ...spec, more: nested(64, kind) } }, 'shop', 'rev-1'), null);
  });
}

test('what is nested too deep beside the spec is not looked at', () => {
  assert.ok(parseRecordedPolicy({ spec, status: nested(100_000, 'list') }, 'shop', 'rev-1'));
});

test('no JSON value makes it throw', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      parseRecordedPolicy(value, 'a', 'b');
      parseRecordedPolicy({ spec: value }, 'a', 'b');
    }),
  );
});
