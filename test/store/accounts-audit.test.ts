import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditLog } from '../../src/store/accounts/audit.ts';
import { auditCsv, type AuditEntry, type AuditFilter } from '../../src/accounts/index.ts';
import { forEachEngine } from './engines.ts';
import { collect } from '../accounts/open.ts';

const entry: AuditEntry = {
  actor: { accountId: 'a', name: 'Ada' },
  action: 'policy_update',
  target: 'shop',
  path: 'PUT /api/v1/policies/shop',
};
const ALL: AuditFilter = { from: 0, to: 1e15, action: null, actor: null, target: null };

forEachEngine('The audit log', (engine) => {
  test('gives entries newest first, narrowed and paged', async (t) => {
    const clock = { at: 1000, now: () => clock.at };
    const log = auditLog(await engine.open(t), clock);
    for (const [i, each] of [
      entry,
      { ...entry, action: 'policy_delete' as const },
      { ...entry, actor: { accountId: 'b', name: 'Bob' }, target: 'audit' },
      { ...entry, actor: null, detail: { reason: 'x', n: 1 } },
    ].entries()) {
      clock.at = 1000 + i;
      await log.record(each);
    }
    const ids = async (filter: Partial<AuditFilter>, page = { limit: 100, offset: 0 }) => {
      const { items, total } = await log.list({ ...ALL, ...filter }, page);
      return [total, ...items.map(({ at }) => at - 1000)];
    };
    assert.deepEqual(await ids({}), [4, 3, 2, 1, 0]);
    assert.deepEqual(await ids({}, { limit: 2, offset: 1 }), [4, 2, 1]);
    assert.deepEqual(await ids({}, { limit: 2, offset: 9 }), [4]);
    assert.deepEqual(await ids({ from: 1001, to: 1002 }), [2, 2, 1]);
    assert.deepEqual(await ids({ from: 1000.001, to: 1002.999 }), [2, 2, 1]);
    assert.deepEqual(await ids({ action: 'policy_delete' }), [1, 1]);
    assert.deepEqual(await ids({ actor: 'b' }), [1, 2]);
    assert.deepEqual(await ids({ actor: 'Ada' }), [2, 1, 0]);
    assert.deepEqual(await ids({ target: 'audit' }), [1, 2]);
    assert.deepEqual((await log.list({ ...ALL, from: 1003 }, { limit: 1, offset: 0 })).items, [
      {
        id: 4,
        at: 1003,
        actorId: null,
        actor: null,
        action: 'policy_update',
        target: 'shop',
        path: entry.path,
        detail: { reason: 'x', n: 1 },
      },
    ]);
  });

  test('an entry commits with its act, and is gone when the act fails', async (t) => {
    const store = await engine.open(t);
    const log = auditLog(store, { now: () => 5 });
    await assert.rejects(
      store.write(async () => {
        await log.record(entry);
        throw new Error('no');
      }),
      /no/,
    );
    assert.equal((await log.list(ALL, { limit: 1, offset: 0 })).total, 0);
  });

  test('the whole log is read in pages, each entry once, also where many have one time', async (t) => {
    const store = await engine.open(t);
    const log = auditLog(store, { now: () => 5 });
    await store.write(async (transaction) => {
      for (let from = 0; from < 2500; from += 500)
        await transaction
          .insertInto('audit')
          .values(
            Array.from({ length: 500 }, (_, i) => ({
              at: Math.floor((from + i) / 1100),
              actor: '',
              action: 'rescan',
            })),
          )
          .execute();
    });
    const pages = await collect(log.pages(ALL));
    const ids = pages.flat().map(({ id }) => id);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [1000, 1000, 500],
    );
    assert.deepEqual(
      ids,
      Array.from({ length: 2500 }, (_, i) => 2500 - i),
    );
    const csv = (await collect(auditCsv(log.pages({ ...ALL, to: 0 })))).join('');
    assert.equal(csv.split('\r\n').length, 1102);
  });

  test('texts of any length and kind are kept within bounds', async (t) => {
    const log = auditLog(await engine.open(t), { now: () => 5 });
    const path = `GET /${'x'.repeat(9000)}`;
    await log.record({ ...entry, target: 'a\u0000b\ud800', path, detail: { big: 'y'.repeat(70_000) } });
    const { items } = await log.list(ALL, { limit: 1, offset: 0 });
    assert.equal(items[0]?.target, 'a\ufffdb\ufffd');
    assert.equal(items[0]?.path?.length, 2000);
    assert.deepEqual(items[0]?.detail, { too_long: 70_010 });
  });

  test('plain texts of the first releases are given as what they are', async (t) => {
    const store = await engine.open(t);
    const log = auditLog(store, { now: () => 5 });
    await store.write(async (transaction) => {
      for (const detail of ['false alarm', '{ no json'])
        await transaction
          .insertInto('audit')
          .values({ at: 1, actor: 'Ada', action: 'runtime_block_release', detail })
          .execute();
    });
    const { items } = await log.list(ALL, { limit: 5, offset: 0 });
    assert.deepEqual(
      items.map(({ detail }) => detail),
      [{ text: '{ no json' }, { text: 'false alarm' }],
    );
  });
});
