import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { Judging, type JudgingParts } from '../../src/inventory/judging.service.ts';

test('a round belongs to no transaction, whoever calls first', async () => {
  const transaction = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const see = <T>(value: T): T => (seen.push(transaction.getStore()), value);
  const parts = {
    images: { follow: async () => see(false), stale: async () => see([]) },
    policies: async () => see({ policies: [], key: 'k' }),
    coldImagePolicy: 'AllowAndScan',
    clock: { now: () => 0 },
  } as unknown as JudgingParts;
  const judging = new Judging(parts);
  await Promise.all([
    transaction.run('one', () => judging.upToDate()),
    judging.upToDate(),
    transaction.run('two', () => judging.upToDate()),
  ]);
  await transaction.run('three', () => judging.upToDate());
  assert.ok(seen.length >= 6);
  assert.deepEqual(new Set(seen), new Set([undefined]));
});
