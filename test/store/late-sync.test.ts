import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describe, test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { openStore, type Store } from '../../src/store/index.ts';
import type { Turn } from '../../src/store/engine/sqlite-turns.ts';
import { run } from '../../src/store/sql/run.ts';
import { sqlite } from './engines.ts';

/** The calls of `fdatasync` from now on; each waits for `gate`, and fails where that does. */
function watchSyncs(
  t: TestContext,
  gate: Promise<void> = Promise.resolve(),
): { count: number; ended: number } {
  const calls = { count: 0, ended: 0 };
  const real = fs.fdatasync;
  t.mock.method(fs, 'fdatasync', (log: number, done: fs.NoParamCallback) => {
    calls.count += 1;
    const ended: fs.NoParamCallback = (error) => {
      calls.ended += 1;
      done(error);
    };
    gate.then(() => real(log, ended), ended);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return calls;
}

async function opened(t: TestContext, turn?: Turn): Promise<{ store: Store; url: string }> {
  const url = await sqlite.migrated();
  const store = await openStore({ url, turn });
  t.after(() => store.close());
  return { store, url };
}

const note = (store: Store, name: string): Promise<unknown> =>
  store.write((transaction) =>
    run(transaction, sql`insert into history_began (record, cluster, at) values (${name}, '', 1)`),
  );
const notes = async (store: Store): Promise<string[]> =>
  (await run(store.read, sql<{ record: string }>`select record from history_began order by record`)).map(
    ({ record }) => record,
  );

describe('a writer behind', () => {
  test('gives the lock back before it waits for the disk, and answers after it', async (t) => {
    const { store, url } = await opened(t, 'behind');
    const first = await openStore({ url, turn: 'first' });
    t.after(() => first.close());
    await note(store, 'before');
    const gate = Promise.withResolvers<void>();
    const calls = watchSyncs(t, gate.promise);
    let answered = false;
    const writing = note(store, 'late').then(() => (answered = true));
    while (!(await notes(first)).includes('late')) await new Promise((next) => setImmediate(next));
    await note(first, 'other');
    assert.deepEqual({ answered, ...calls }, { answered: false, count: 1, ended: 0 });
    gate.resolve();
    await writing;
    assert.deepEqual({ answered, ...calls }, { answered: true, count: 1, ended: 1 });
  });

  test('says of a disk that fails that it is not available', async (t) => {
    const { store } = await opened(t, 'behind');
    await note(store, 'before');
    watchSyncs(t, Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' })));
    await assert.rejects(note(store, 'lost'), {
      code: 'unavailable',
      message: /input\/output error \(EIO\)/,
    });
  });

  test('rolls back without waiting for the disk', async (t) => {
    const { store } = await opened(t, 'behind');
    const calls = watchSyncs(t);
    await assert.rejects(
      store.write(() => Promise.reject(new Error('no'))),
      /^Error: no$/,
    );
    assert.equal(calls.count, 0);
  });
});

for (const turn of ['first', undefined] as const)
  test(`a writer with the turn ${turn ?? 'of nobody'} commits durably by itself`, async (t) => {
    const { store } = await opened(t, turn);
    const calls = watchSyncs(t);
    await note(store, 'own');
    const [row] = await store.write((transaction) =>
      run(transaction, sql<{ synchronous: number }>`pragma synchronous`),
    );
    assert.equal(row?.synchronous, 2);
    assert.equal(calls.count, 0);
  });
