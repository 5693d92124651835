import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workloadOf } from '../../src/whatif/index.ts';

const NAMES: readonly (readonly [pod: string, workload: string])[] = [
  ['cart-7d9f8b6c5-x2k9z', 'cart'],
  ['cart-worker-5c6bd4d7f8-2q8vz', 'cart-worker'],
  ['backup-29012345-x2k9z', 'backup'],
  ['agent-x2k9z', 'agent'],
  ['db-0', 'db'],
  ['db-12', 'db'],
  ['plain', 'plain'],
  ['two-words', 'two-words'],
  ['web-7d9f8b6c5-', 'web-7d9f8b6c5'],
  ['-x2k9z', '-x2k9z'],
  ['-', '-'],
  ['', ''],
  ['api-v2', 'api-v2'],
  ['müll-x2k9z', 'müll'],
];

for (const [pod, workload] of NAMES) {
  test(`${pod || 'an empty name'} belongs to ${workload || 'nothing'}`, () =>
    assert.equal(workloadOf(pod), workload));
}
