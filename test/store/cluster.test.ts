import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePolicyValue, type PolicyWrite } from '../../src/policy/index.ts';
import { readFence } from '../../src/store/leadership/fence-holder.ts';
import { fenceWrites, underLeadership } from '../../src/store/leadership/fenced-writes.ts';
import { policyStore } from '../../src/store/policies/policies.ts';
import { policyMirror } from '../../src/store/policies/mirror.ts';
import { raiseFence } from '../../src/store/leadership/fence.ts';
import { forEachEngine } from './engines.ts';

const write = (name: string, enforcement: string, at = 1): PolicyWrite => {
  const { policy, document } = parsePolicyValue({
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name },
    spec: { enforcement },
  });
  return { name, document, revision: policy.revision, at, by: null };
};
const WHOLE = { limit: null, offset: 0 } as const;

forEachEngine('the cluster', (engine) => {
  test('a leader writes while its fence stands, and nothing after a later one was raised', async (t) => {
    const plain = await engine.open(t);
    const store = fenceWrites(plain);
    const mirror = policyMirror(store);
    assert.equal(await readFence(plain), null);
    const fence = await raiseFence(plain, 'c/a', 1);
    await underLeadership(fence, () => mirror.replace(fence, [write('a', 'Audit')], [], 200));
    // Inside another write it joins, as it does without a fence.
    await underLeadership(fence, () =>
      store.write(async () => {
        await Promise.resolve();
        await mirror.replace(fence, [write('a', 'Enforce')], [], 200);
      }),
    );
    const later = await raiseFence(plain, 'c/b', 2);
    assert.deepEqual(await readFence(plain), { fence: later, holder: 'c/b' });
    await assert.rejects(
      underLeadership(fence, () => store.write(async () => undefined)),
      /another process leads/,
    );
    // The mirror carries its fence itself, whoever calls it.
    await assert.rejects(mirror.replace(fence, [], [], 200), /another process leads/);
    assert.equal((await policyStore(plain).list(WHOLE)).total, 1);
    // What no leader's job began is as before.
    await mirror.record([write('b', 'Audit')]);
    await mirror.replace(later, [], [], 200);
    assert.equal((await policyStore(plain).list(WHOLE)).total, 0);
  });

  test('policies of the cluster are mirrored, with every revision there was', async (t) => {
    const store = await engine.open(t);
    const mirror = policyMirror(store);
    const policies = policyStore(store);
    const fence = await raiseFence(store, 'c/a', 1);
    await mirror.record([write('a', 'Audit', 5), write('a', 'Audit', 9)]);
    assert.equal((await policies.revisions('a', WHOLE)).items[0]?.recordedAt, 5);
    assert.equal((await policies.list(WHOLE)).total, 0, 'recorded is not in force');
    await mirror.replace(fence, [write('a', 'Audit'), write('b', 'Enforce')], [], 200);
    const before = await policies.get('a');
    await mirror.replace(fence, [write('a', 'Audit', 99), write('b', 'Audit')], [], 200);
    assert.deepEqual(await policies.get('a'), before, 'what stands is not written again');
    assert.equal((await policies.revisions('b', WHOLE)).total, 2);
    assert.equal((await mirror.last('b'))?.spec.enforcement, 'Audit');
    assert.equal(await mirror.last('c'), null);
    // One that turned invalid keeps what was mirrored of it.
    await mirror.replace(fence, [], ['b'], 200);
    assert.deepEqual(
      (await policies.list(WHOLE)).items.map(({ name }) => name),
      ['b'],
    );
  });
});
