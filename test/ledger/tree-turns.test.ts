import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LedgerTree } from '../../src/ledger/index.ts';
import { makeSigner, NOW } from './grown.ts';
import { MemoryTree } from './memory-tree.ts';
import { listen } from './parts.ts';

test('the event loop turns behind every few rows that are hashed, and before they are written', async (t) => {
  const store = new MemoryTree();
  store.grow(3000);
  let sinceTurn = 0;
  let next = setImmediate(function turn() {
    sinceTurn = 0;
    next = setImmediate(turn);
  });
  t.after(() => clearImmediate(next));
  const { leaves } = store;
  let most = 0;
  store.leaves = async (after, limit) => {
    const read = await leaves.call(store, after, limit);
    sinceTurn += read.length;
    most = Math.max(most, sinceTurn);
    return read;
  };
  const { alone } = store;
  store.alone = (act) => {
    assert.equal(sinceTurn, 0, 'rows that were hashed in the turn of a transaction');
    return alone.call(store, act) as ReturnType<typeof act>;
  };
  const clock = { now: () => NOW };
  const tree = new LedgerTree({ store, signer: makeSigner(), clock, log: listen() });
  assert.equal(await tree.integrate(2500), 2500);
  await tree.integrate();
  assert.equal(await store.size(), await store.rows());
  assert.ok(most <= 128, `${most} rows were hashed in one turn`);
});
