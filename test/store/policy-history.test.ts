import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePolicyValue, type PolicyWrite } from '../../src/policy/index.ts';
import { pruneHistory } from '../../src/store/history/retention.ts';
import { historyReader } from '../../src/store/history/read.ts';
import { policyStore } from '../../src/store/policies/policies.ts';
import { policyMirror } from '../../src/store/policies/mirror.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { raiseFence } from '../../src/store/leadership/fence.ts';
import { forEachEngine } from './engines.ts';

const write = (name: string, enforcement: 'Audit' | 'Enforce', at: number): PolicyWrite => {
  const { policy, document } = parsePolicyValue({
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name },
    spec: { enforcement },
  });
  return { name, document, revision: policy.revision, at, by: null };
};
const AUDIT = write('a', 'Audit', 0).revision;
const ENFORCE = write('a', 'Enforce', 0).revision;

const stays = async (store: Store, from = 0, to = 1000): Promise<unknown[]> =>
  (await historyReader(store).policies(from, to)).map((one) => [one.name, one.revision, one.from, one.until]);

forEachEngine('the history of policies', (engine) => {
  test('when each revision of a policy was in effect is kept, also of one that came back and of one that is gone', async (t) => {
    const store = await engine.open(t);
    const policies = policyStore(store);
    await policies.create(write('a', 'Audit', 10));
    await policies.replace(write('a', 'Enforce', 20), 'any');
    await policies.replace(write('a', 'Enforce', 25), 'any');
    await policies.replace(write('a', 'Audit', 30), 'any');
    await policies.remove('a', 'any', 40);
    // The clock was set back.
    await policies.create(write('a', 'Audit', 35));
    const all = [
      ['a', AUDIT, 10, 20],
      ['a', ENFORCE, 20, 30],
      ['a', AUDIT, 30, 40],
      ['a', AUDIT, 40, null],
    ];
    assert.deepEqual(await stays(store), all);
    assert.deepEqual(await stays(store, 20, 29), [all[1]]);
    await pruneHistory(store, 31, new AbortController().signal);
    assert.deepEqual(await stays(store), all.slice(2));
  });

  test('in a cluster it is kept as the leader mirrors what is in effect', async (t) => {
    const store = await engine.open(t);
    const mirror = policyMirror(store);
    const fence = await raiseFence(store, 'c/a', 1);
    await mirror.replace(fence, [write('a', 'Audit', 10), write('b', 'Audit', 10)], [], 10);
    await mirror.replace(fence, [write('a', 'Enforce', 20)], ['b'], 20);
    await mirror.record([write('a', 'Audit', 25)]);
    await mirror.replace(fence, [write('a', 'Enforce', 30)], [], 30);
    assert.deepEqual(await stays(store), [
      ['a', AUDIT, 10, 20],
      ['a', ENFORCE, 20, null],
      ['b', AUDIT, 10, 30],
    ]);
  });
});
