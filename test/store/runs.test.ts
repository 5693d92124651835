import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../src/base/index.ts';
import { runStore } from '../../src/store/index.ts';
import { openKeptRuns, type KeptRun } from '../../src/whatif/index.ts';
import { caller, makeWorld } from '../whatif/live-parts.ts';
import { dying } from './cut-writes.ts';
import { forEachEngine } from './engines.ts';

const run = (id: string, at: number, policy = 'baseline'): KeptRun => ({
  id,
  at,
  accountId: 'aaaabbbbccccdddd',
  policy,
  revision: 'f'.repeat(64),
  source: null,
  days: 30,
  period: { from: at - 1000, to: at },
  evaluated: 5000,
  wouldDeny: 12,
  wouldAllow: 0,
  draft: { apiVersion: 'ipo.dev/v1', spec: { label: 'ÄÖ' } },
  result: `{"run":"${id}","text":"\\u0000 ü"}`,
});
const ALL = { policy: null, from: null, to: null } as const;
const WHOLE = { limit: null, offset: 0 } as const;

forEachEngine('kept runs', (engine) => {
  test('a run comes back byte for byte', async (t) => {
    const store = runStore(await engine.open(t));
    await store.keep(run('a', 1000), 500);
    assert.deepEqual(await store.get('a'), run('a', 1000));
    assert.equal(await store.get('b'), null);
  });

  test('lists are newest first, filtered by policy and period with both ends, and paged', async (t) => {
    const store = runStore(await engine.open(t));
    for (let i = 1; i <= 9; i += 1)
      await store.keep(run(`r${i}`, i * 100, i % 2 === 0 ? 'even' : 'odd'), 500);
    const ids = async (
      filter: Partial<typeof ALL> | object,
      page = WHOLE as { limit: number | null; offset: number },
    ) => {
      const { items, total } = await store.list({ ...ALL, ...filter }, page);
      return [items.map(({ id }) => id).join(' '), total];
    };
    assert.deepEqual(await ids({}), ['r9 r8 r7 r6 r5 r4 r3 r2 r1', 9]);
    assert.deepEqual(await ids({ policy: 'even' }), ['r8 r6 r4 r2', 4]);
    assert.deepEqual(await ids({ from: 300, to: 500 }), ['r5 r4 r3', 3]);
    assert.deepEqual(await ids({ from: 300.001, to: 500.999 }), ['r5 r4', 2]);
    assert.deepEqual(await ids({ policy: 'odd', from: 301 }, { limit: 2, offset: 1 }), ['r7 r5', 3]);
    assert.deepEqual(await ids({ policy: 'none' }), ['', 0]);
    const { items } = await store.list(ALL, { limit: 1, offset: 0 });
    assert.ok(!('result' in (items[0] ?? {})), 'a list does not carry the answers');
  });

  test('the oldest make way for the newest, and never the one that is being kept', async (t) => {
    const store = runStore(await engine.open(t));
    for (let i = 1; i <= 5; i += 1) await store.keep(run(`r${i}`, i * 100), 3);
    assert.deepEqual(
      (await store.list(ALL, WHOLE)).items.map(({ id }) => id),
      ['r5', 'r4', 'r3'],
    );
    await store.keep(run('back', 1), 3); // the clock has stepped back
    assert.deepEqual(
      (await store.list(ALL, WHOLE)).items.map(({ id }) => id),
      ['r5', 'r4', 'back'],
    );
  });

  test('however many are kept at once, there are never more than allowed', async (t) => {
    const store = runStore(await engine.open(t));
    await Promise.all(Array.from({ length: 24 }, (_, i) => store.keep(run(`r${i}`, 1000 + i), 5)));
    assert.equal((await store.list(ALL, WHOLE)).total, 5);
  });

  test('runs from before a time are dropped and counted', async (t) => {
    const store = runStore(await engine.open(t));
    for (const at of [100, 200, 300]) await store.keep(run(`r${at}`, at), 500);
    assert.equal(await store.prune(200), 1);
    assert.deepEqual(
      (await store.list(ALL, WHOLE)).items.map(({ id }) => id),
      ['r300', 'r200'],
    );
    assert.equal(await store.prune(200), 0);
  });

  test('each run that goes is a transaction, and what a crash leaves goes with the next', async (t) => {
    const store = await engine.open(t);
    for (let i = 1; i <= 6; i += 1) await runStore(store).keep(run(`r${i}`, i * 100), 500);
    await assert.rejects(runStore(dying(store, 2)).prune(500), /it died/);
    assert.equal((await runStore(store).list(ALL, WHOLE)).total, 4);
    // The run that is kept, and one that goes.
    await assert.rejects(runStore(dying(store, 2)).keep(run('new', 700), 3), /it died/);
    assert.equal((await runStore(store).list(ALL, WHOLE)).total, 4);
    await runStore(store).keep(run('newer', 800), 3);
    const { items } = await runStore(store).list(ALL, WHOLE);
    assert.deepEqual(
      items.map(({ id }) => id),
      ['newer', 'new', 'r6'],
    );
    assert.equal(await runStore(store).prune(10_000), 3);
  });

  test('a run that is past its time is not listed, opened or downloaded, although no retention has run yet', async (t) => {
    const store = runStore(await engine.open(t));
    const now = 200 * DAY_MS;
    const old = now - 90 * DAY_MS - 1;
    await store.keep(run('old', old), 500);
    await store.keep(run('kept', old + 1), 500);
    const { runs, audited } = keptRuns(store, now);
    const { items, total } = await runs.list(ALL, WHOLE);
    assert.deepEqual([items.map(({ id }) => id), total], [['kept'], 1]);
    assert.equal((await runs.list({ ...ALL, from: old }, WHOLE)).total, 1, 'nor by asking for that time');
    await assert.rejects(runs.get('old'), { code: 'not_found' });
    const call = { principal: caller('deployer'), path: 'GET /x', signal: new AbortController().signal };
    await assert.rejects(runs.download('old', 'json', call), { code: 'not_found' });
    assert.deepEqual(audited, []);
    assert.equal((await runs.get('kept')).id, 'kept');
  });
});

function keptRuns(store: ReturnType<typeof runStore>, now: number) {
  const { audited, deps } = makeWorld();
  const printer = { print: async () => Buffer.from('%PDF') };
  return {
    audited,
    runs: openKeptRuns({
      runs: store,
      printer,
      names: async () => new Map(),
      audit: deps.audit,
      clock: { now: () => now },
    }),
  };
}
