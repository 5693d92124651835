import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import type { PolicyWrite } from '../../src/policy/index.ts';
import { policyStore } from '../../src/store/index.ts';
import { forEachEngine } from './engines.ts';

const write = (name: string, letter: string, at = 1000): PolicyWrite => ({
  name,
  document: { spec: { letter, text: 'Größe "x" \u0000' } },
  revision: letter.repeat(64),
  at,
  by: `user:${letter}`,
});
const WHOLE = { limit: null, offset: 0 } as const;

forEachEngine('policies', (engine) => {
  test('a policy is created once, read back as it was sent, and listed by name', async (t) => {
    const store = policyStore(await engine.open(t));
    const made = await store.create(write('b', '1'));
    assert.deepEqual(made?.document, { spec: { letter: '1', text: 'Größe "x" \u0000' } });
    assert.equal(await store.create(write('b', '2')), null);
    await store.create(write('a', '3'));
    assert.deepEqual(await store.get('b'), made);
    assert.equal(await store.get('c'), null);
    const { items, total } = await store.list(WHOLE);
    assert.deepEqual([items.map(({ name }) => name), total], [['a', 'b'], 2]);
    const page = await store.list({ limit: 1, offset: 1 });
    assert.deepEqual([page.items.map(({ name }) => name), page.total], [['b'], 2]);
  });

  test('an update needs the version that stands, and gives it another', async (t) => {
    const store = policyStore(await engine.open(t));
    const first = await store.create(write('a', '1'));
    assert.ok(first);
    assert.deepEqual(await store.replace(write('x', '2'), 'any'), { kind: 'missing' });
    assert.deepEqual(await store.replace(write('a', '2'), ['9-111111111111']), { kind: 'mismatch' });
    assert.deepEqual(await store.replace(write('a', '2'), []), { kind: 'mismatch' });
    const second = await store.replace(write('a', '2', 2000), ['other', first.version]);
    assert.ok(second.kind === 'replaced');
    assert.notEqual(second.policy.version, first.version);
    assert.deepEqual(second.before, first);
    assert.deepEqual(
      [second.policy.createdAt, second.policy.updatedAt, second.policy.updatedBy],
      [1000, 2000, 'user:2'],
    );
    assert.deepEqual(await store.replace(write('a', '3'), [first.version]), { kind: 'mismatch' });
    assert.equal((await store.replace(write('a', '3'), 'any')).kind, 'replaced');
  });

  test('an update to the document that stands changes nothing, in whatever order it is written', async (t) => {
    const store = policyStore(await engine.open(t));
    const first = await store.create(write('a', '1'));
    const { spec } = write('a', '1').document as { spec: object };
    const turned = { spec: Object.fromEntries(Object.entries(spec).toReversed()) };
    const again = await store.replace({ ...write('a', '1', 5000), document: turned }, 'any');
    assert.deepEqual(again, { kind: 'unchanged', policy: first });
    assert.deepEqual(await store.get('a'), first);
    assert.deepEqual(await store.replace(write('a', '1'), ['0-0']), { kind: 'mismatch' });
  });

  test('another document of the revision that stands is kept under it, with another version', async (t) => {
    const store = policyStore(await engine.open(t));
    const first = await store.create(write('a', '1'));
    const labelled = { ...write('a', '1', 5000), by: 'user:2', document: { labels: { team: 'x' } } };
    const again = await store.replace(labelled, [first?.version ?? '']);
    assert.ok(again.kind === 'replaced');
    assert.notEqual(again.policy.version, first?.version);
    assert.deepEqual(await store.get('a'), again.policy);
    assert.deepEqual(
      [again.policy.document, again.policy.revision, again.policy.updatedAt, again.policy.updatedBy],
      [labelled.document, first?.revision, 5000, 'user:2'],
    );
    const { items } = await store.revisions('a', WHOLE);
    assert.deepEqual(
      items.map(({ document, recordedAt }) => [document, recordedAt]),
      [[first?.document, 1000]],
    );
    assert.deepEqual(await store.replace(write('a', '1'), [first?.version ?? '']), { kind: 'mismatch' });
  });

  test('writers who take whatever stands all write, one after another, and only a deletion stops them', async (t) => {
    const store = policyStore(await engine.open(t));
    await store.create(write('a', '0'));
    const outcomes = await Promise.all(
      [...'123456789abc'].map((letter) => store.replace(write('a', letter), 'any')),
    );
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      outcomes.map(() => 'replaced'),
    );
    assert.match((await store.get('a'))?.version ?? '', /^13-/);
    const last = await Promise.all([
      store.replace(write('a', 'd'), 'any'),
      store.remove('a', 'any', 200),
      store.replace(write('a', 'e'), 'any'),
      store.remove('a', 'any', 200),
    ]);
    assert.ok(last.every(({ kind }) => kind !== 'mismatch'));
    assert.equal(last.filter(({ kind }) => kind === 'removed').length, 1);
    assert.equal(await store.get('a'), null);
  });

  test('a writer who takes whatever stands waits for the one who is writing', async (t) => {
    const opened = await engine.open(t);
    const store = policyStore(opened);
    await store.create(write('a', '0'));
    const outside = AsyncLocalStorage.snapshot();
    const others: ReturnType<typeof store.replace>[] = [];
    await opened.write(async () => {
      await store.replace(write('a', '1'), 'any');
      others.push(outside(() => store.replace(write('a', '2'), 'any')));
      // Reads outside the transaction give the other time to come to the row.
      for (let i = 0; i < 20; i += 1) await store.get('a');
    });
    assert.deepEqual(
      (await Promise.all(others)).map(({ kind }) => kind),
      ['replaced'],
    );
    assert.match((await store.get('a'))?.version ?? '', /^3-2/);
  });

  test('revisions stay for ever, each with its first time, also of a policy that was deleted', async (t) => {
    const store = policyStore(await engine.open(t));
    await store.create(write('a', '1', 1));
    await store.replace(write('a', '2', 2), 'any');
    await store.replace(write('a', '1', 3), 'any');
    assert.equal((await store.remove('a', 'any', 200)).kind, 'removed');
    assert.deepEqual(await store.remove('a', 'any', 200), { kind: 'missing' });
    const { items, total } = await store.revisions('a', WHOLE);
    assert.deepEqual(
      items.map(({ revision, recordedAt }) => [revision.slice(0, 1), recordedAt]),
      [
        ['2', 2],
        ['1', 1],
      ],
    );
    assert.equal(total, 2);
    assert.equal((await store.revision('a', '2'.repeat(64)))?.recordedBy, 'user:2');
    assert.equal(await store.revision('b', '2'.repeat(64)), null);
  });

  test('the version of a policy that was deleted does not meet one created later', async (t) => {
    const store = policyStore(await engine.open(t));
    const old = await store.create(write('a', '1'));
    await store.remove('a', 'any', 200);
    await store.create(write('a', '2'));
    assert.deepEqual(await store.replace(write('a', '3'), [old?.version ?? '']), { kind: 'mismatch' });
    assert.deepEqual(await store.remove('a', [old?.version ?? ''], 200), { kind: 'mismatch' });
  });

  test('of writers that read one version, one writes and the others are told', async (t) => {
    const opened = await engine.open(t);
    const store = policyStore(opened);
    const first = await store.create(write('a', '0'));
    const outcomes = await Promise.all(
      [...'123456789abc'].map((letter) => store.replace(write('a', letter), [first?.version ?? ''])),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === 'replaced').length, 1);
    assert.equal(outcomes.filter(({ kind }) => kind === 'mismatch').length, 11);
    const made = await Promise.all([...'12345678'].map((letter) => store.create(write('b', letter))));
    assert.equal(made.filter((policy) => policy !== null).length, 1);
  });

  test('a write that fails with what it belongs to leaves nothing', async (t) => {
    const opened = await engine.open(t);
    const store = policyStore(opened);
    const act = opened.write(async () => {
      await store.create(write('a', '1'));
      throw new Error('the audit log is full');
    });
    await assert.rejects(act, /audit log is full/);
    assert.equal(await store.get('a'), null);
    assert.deepEqual((await store.revisions('a', WHOLE)).items, []);
  });
});
