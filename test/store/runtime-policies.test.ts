import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { PolicyWrite } from '../../src/policy/index.ts';
import { parseRuntimePolicyValue } from '../../src/runtime/index.ts';
import {
  runtimePolicyMirror,
  runtimePolicySource,
  runtimePolicyStore,
} from '../../src/store/policies/runtime-policies.ts';
import { raiseFence } from '../../src/store/leadership/fence.ts';
import { forEachEngine } from './engines.ts';

const write = (name: string, spec: object, at = 1000): PolicyWrite => {
  const { policy, document } = parseRuntimePolicyValue({
    ...{ apiVersion: 'ipo.dev/v1', kind: 'RuntimePolicy', metadata: { name }, spec },
  });
  return { name, document, revision: policy.revision, at, by: 'user:7' };
};
const WHOLE = { limit: null, offset: 0 } as const;

forEachEngine('runtime policies', (engine) => {
  test('a runtime policy is created once, listed by name, and changed only in the version that stands', async (t) => {
    const store = runtimePolicyStore(await engine.open(t));
    const first = await store.create(write('b', { match: { rules: ['Größe "x"'] } }));
    assert.ok(first);
    assert.equal(await store.create(write('b', {})), null);
    await store.create(write('a', {}));
    const { items, total } = await store.list(WHOLE);
    assert.deepEqual([items.map(({ name }) => name), total], [['a', 'b'], 2]);
    assert.deepEqual(await store.get('b'), first);
    assert.deepEqual(await store.replace(write('b', {}), ['9-1']), { kind: 'mismatch' });
    assert.deepEqual(await store.replace(write('c', {}), 'any'), { kind: 'missing' });
    assert.equal(
      (await store.replace(write('b', { match: { rules: ['Größe "x"'] } }), 'any')).kind,
      'unchanged',
    );
    const next = await store.replace(write('b', { enforcement: 'Enforce' }, 2000), [first.version]);
    assert.ok(next.kind === 'replaced');
    assert.deepEqual([next.before, next.policy.updatedAt], [first, 2000]);
    assert.notEqual(next.policy.revision, first.revision);
    assert.deepEqual(await store.remove('b', [first.version], 1), { kind: 'mismatch' });
    assert.equal((await store.remove('b', [next.policy.version], 1)).kind, 'removed');
    assert.deepEqual(await store.remove('b', 'any', 1), { kind: 'missing' });
    const again = await store.create(write('b', { match: { tags: ['shell'] } }));
    assert.notEqual(again?.version, first.version, 'an old ETag meets no new document');
  });

  test('what an upgrade left off or unreadable is listed with its reason, decides nothing, and a write puts it in effect', async (t) => {
    const opened = await engine.open(t);
    const store = runtimePolicyStore(opened);
    for (const name of ['off', 'odd']) await store.create(write(name, {}));
    await opened.write(async (transaction) => {
      await sql`update runtime_policies set enabled = 0 where name = 'off'`.execute(transaction);
      await sql`update runtime_policies set document = '{"spec":{"match":5}}' where name = 'odd'`.execute(
        transaction,
      );
    });
    assert.match((await store.get('off'))?.invalid?.fault ?? '', /^it is off: /);
    assert.match((await store.get('odd'))?.invalid?.fault ?? '', /apiVersion/);
    assert.deepEqual(await runtimePolicySource(opened).inEffect(), []);
    assert.equal((await store.replace(write('off', {}), 'any')).kind, 'replaced');
    assert.equal((await store.replace(write('odd', { stopMode: 'graceful' }), 'any')).kind, 'replaced');
    const decide = await runtimePolicySource(opened).inEffect();
    assert.deepEqual(
      decide.map(({ name, spec }) => [name, spec.stopMode]),
      [
        ['odd', 'graceful'],
        ['off', 'immediate'],
      ],
    );
    assert.equal((await store.get('off'))?.invalid, undefined);
    const source = runtimePolicySource(opened);
    const first = await source.inEffect();
    assert.equal(await source.inEffect(), first, 'the same list while none was changed');
    await store.replace(write('off', { match: { tags: ['x'] } }), 'any');
    assert.notEqual(await source.inEffect(), first);
  });

  test('the mirror holds what the objects put in effect, by the leader only, and keeps what is off', async (t) => {
    const opened = await engine.open(t);
    const store = runtimePolicyStore(opened);
    const mirror = runtimePolicyMirror(opened);
    await store.create(write('off', {}));
    await opened.write((transaction) =>
      sql`update runtime_policies set enabled = 0 where name = 'off'`.execute(transaction),
    );
    const fence = await raiseFence(opened, 'c/a', 1);
    await mirror.replace(fence, [write('a', {}), write('b', { enforcement: 'Enforce' })], [], 5);
    assert.deepEqual(
      (await runtimePolicySource(opened).inEffect()).map(({ name }) => name),
      ['a', 'b'],
    );
    const before = await store.get('a');
    await mirror.replace(fence, [write('a', {})], ['b'], 9);
    assert.deepEqual(await store.get('a'), before, 'what stands is not written again');
    assert.equal((await mirror.last('b'))?.spec.enforcement, 'Enforce');
    assert.equal(await mirror.last('off'), null);
    const later = await raiseFence(opened, 'c/b', 2);
    await assert.rejects(mirror.replace(fence, [], [], 10), /another process leads/);
    await mirror.replace(later, [write('a', { enforcement: 'Enforce' })], [], 10);
    assert.deepEqual(
      (await runtimePolicySource(opened).inEffect()).map(({ name, spec }) => [name, spec.enforcement]),
      [['a', 'Enforce']],
    );
    assert.ok(await store.get('off'));
  });
});
