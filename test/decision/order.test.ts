import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { DENIAL_LABELS } from '../../src/decision/index.ts';
import { GATES } from '../../src/decision/order.ts';

test('there is one gate for each label, in the order of the labels, and no gate besides', () => {
  const names = GATES.map(({ name }) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  assert.deepEqual(names, DENIAL_LABELS);
  const files = readdirSync(new URL('../../src/decision/gates/', import.meta.url));
  assert.deepEqual(
    files.toSorted(),
    DENIAL_LABELS.map((label) => `${label.replaceAll('_', '-')}.ts`).toSorted(),
  );
});
