import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { Judging, type JudgingParts } from '../../src/inventory/judging.service.ts';

test('a round belongs to no transaction, whichever call comes first', async () => {
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

test('few rows and few images are taken at a time, and the event loop turns between any two', async (t) => {
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  t.after(() => clearImmediate(next));
  const at: number[] = [];
  const asked: number[] = [];
  const see = <T>(many: number, value: T): T => {
    at.push(turn);
    asked.push(many);
    return value;
  };
  const left = { rows: 4, images: 3 };
  const parts = {
    images: {
      follow: async (rows: number) => see(rows, left.rows-- > 0),
      stale: async (_key: string, _at: number, limit: number) =>
        see(
          limit,
          left.images-- > 0
            ? Array.from({ length: limit }, (_, i) => ({ digest: `sha256:${i}`, namesInFacts: false }))
            : [],
        ),
      refreshFacts: async () => see(1, undefined),
      judged: async () => {},
    },
    policies: async () => ({ policies: [], key: 'k' }),
    coldImagePolicy: 'AllowAndScan',
    clock: { now: () => 0 },
  } as unknown as JudgingParts;
  await new Judging(parts).upToDate();
  assert.equal(at.length, 5 + 4 + 3 * 10);
  assert.ok(Math.max(...asked) <= 1000, `${Math.max(...asked)} rows at a time`);
  assert.equal(new Set(at).size, at.length, 'each in a turn of its own');
});
