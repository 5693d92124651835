import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { DENIAL_LABELS } from '../../src/decision/index.ts';
import { GATES } from '../../src/decision/order.ts';
import { JUDGED_PATHS } from '../../src/policy/direction.ts';

test('there is one gate for each label, in the order of the labels, and no gate besides', () => {
  assert.deepEqual(
    GATES.map(({ label }) => label),
    DENIAL_LABELS,
  );
  const files = readdirSync(new URL('../../src/decision/gates/', import.meta.url));
  assert.deepEqual(
    files.toSorted(),
    DENIAL_LABELS.map((label) => `${label.replaceAll('_', '-')}.ts`).toSorted(),
  );
});

test('every field that a gate names is one of the policy, and no two sentences begin alike', () => {
  for (const { label, fields } of GATES)
    for (const path of fields) assert.ok(JUDGED_PATHS.includes(path), `${label}: ${path}`);
  const begins = GATES.flatMap((gate) => gate.begins);
  for (const one of begins)
    assert.equal(begins.filter((other) => other.startsWith(one)).length, 1, `"${one}" begins another`);
});
