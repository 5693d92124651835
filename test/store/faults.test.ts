import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { runText } from '../../src/store/sql/dialect.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { postgresFault } from '../../src/store/engine/postgres-faults.ts';
import { StoreError } from '../../src/store/sql/store-error.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { review } from '../ledger/parts.ts';
import { openLine } from './cut-line.ts';
import { forEachEngine } from './engines.ts';

let count = 0;
const put = (store: Store, value = 'x') =>
  store.write((transaction) =>
    transaction
      .insertInto('settings')
      .values({ key: `k${++count}`, value })
      .execute(),
  );
const size = async (store: Store): Promise<number> =>
  (await store.read.selectFrom('settings').select('key').execute()).length;

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-faults-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function fileStore(t: TestContext, file: string, lockTimeout = 1000): Promise<Store> {
  const store = await openStore({ url: `sqlite:${file}`, lockTimeout });
  t.after(() => store.close());
  return store;
}

suite('faults of a file', () => {
  test('a file that is not a database is named, and left as it is', async (t) => {
    const folder = scratch(t);
    writeFileSync(
      join(folder, 'text'),
      'this is a text that somebody wrote, and longer than a header of SQLite is'.repeat(9),
    );
    await assert.rejects(openStore({ url: `sqlite:${join(folder, 'text')}` }), { code: 'damaged' });
    mkdirSync(join(folder, 'folder'));
    await assert.rejects(openStore({ url: `sqlite:${join(folder, 'folder')}` }), { code: 'unreadable' });
    await assert.rejects(openStore({ url: `sqlite:${join(folder, 'none/ipo.db')}` }), { code: 'unwritable' });
  });

  test('a full disk refuses the write, keeps what was there, and is used again when there is room', async (t) => {
    const store = await fileStore(t, join(scratch(t), 'ipo.db'));
    await put(store);
    await store.write((transaction) => runText(transaction, 'pragma max_page_count = 200', []));
    await assert.rejects(put(store, 'x'.repeat(2_000_000)), {
      code: 'unavailable',
      message: /full; nothing was written/,
    });
    await put(store);
    assert.equal(await size(store), 2);
    await store.write((transaction) => runText(transaction, 'pragma max_page_count = 100000', []));
    await put(store, 'x'.repeat(2_000_000));
    assert.equal(await size(store), 3);
  });

  test('another process that holds the lock is waited for, and told when it does not end', async (t) => {
    const file = join(scratch(t), 'ipo.db');
    const one = await fileStore(t, file);
    const two = await fileStore(t, file, 30);
    let end = (): void => {};
    const ended = new Promise<void>((open) => (end = open));
    let begun = (): void => {};
    const held = new Promise<void>((open) => (begun = open));
    const long = one.write(async () => {
      begun();
      await ended;
    });
    await held;
    await assert.rejects(put(two), { code: 'unavailable', message: /locked by another process/ });
    assert.equal(await size(two), 0, 'reading goes on');
    const patient = await fileStore(t, file, 60_000);
    const waiting = put(patient);
    end();
    await Promise.all([long, waiting]);
    await put(two);
    assert.equal(await size(two), 2);
  });

  test('a file that was removed takes no more writes until it is back', async (t) => {
    const folder = scratch(t);
    const file = join(folder, 'ipo.db');
    const store = await fileStore(t, file);
    renameSync(file, join(folder, 'away.db'));
    await assert.rejects(put(store), { code: 'unavailable', message: /removed or replaced/ });
    renameSync(join(folder, 'away.db'), file);
    await put(store);
    assert.equal(await size(store), 1);
  });

  test('a file that was removed takes no review that is appended at once either, ten milliseconds later', async (t) => {
    const folder = scratch(t);
    const file = join(folder, 'ipo.db');
    const store = await fileStore(t, file);
    const writer = ledgerWriter(store);
    await writer.appendAll([review(1)]);
    assert.equal(writer.appendNow?.([review(2)])?.length, 1);
    renameSync(file, join(folder, 'away.db'));
    await sleep(15);
    const gone = { code: 'unavailable', message: /removed or replaced/ };
    for (let i = 0; i < 3; i += 1) assert.throws(() => writer.appendNow?.([review(3)]), gone);
    renameSync(join(folder, 'away.db'), file);
    assert.equal(writer.appendNow?.([review(3)])?.[0]?.rows[0]?.id, 3);
  });

  test('a file that another process has checked is not made again where it is gone', async (t) => {
    const file = join(scratch(t), 'ipo.db');
    await assert.rejects(openStore({ url: `sqlite:${file}`, checked: true }), { code: 'unreadable' });
    assert.equal(existsSync(file), false);
  });

  test('a file that has become read-only is told, and still read', async (t) => {
    const store = await fileStore(t, join(scratch(t), 'ipo.db'));
    await store.write((transaction) => runText(transaction, 'pragma query_only = on', []));
    await assert.rejects(put(store), { code: 'unavailable', message: /read-only; nothing was written/ });
    assert.equal(await size(store), 0);
  });

  const skip = process.getuid?.() === 0 ? false : 'only root can act as somebody who may not write';
  test('a file or a directory that this user may not write is told', { skip }, async (t) => {
    const folder = scratch(t);
    const file = join(folder, 'ipo.db');
    await (await openStore({ url: `sqlite:${file}` })).close();
    chmodSync(folder, 0o755);
    chmodSync(file, 0o644);
    t.after(() => process.seteuid?.(0));
    process.seteuid?.(65_534);
    await assert.rejects(openStore({ url: `sqlite:${file}` }), { code: 'unreadable' });
    await assert.rejects(openStore({ url: `sqlite:${join(folder, 'new.db')}` }), { code: 'unwritable' });
    process.seteuid?.(0);
    await (await openStore({ url: `sqlite:${file}` })).close();
  });
});

forEachEngine('faults of a server', (engine) => {
  if (engine.name === 'sqlite') return;

  test('a connection that is cut is logged, and recovers without a restart', async (t) => {
    const line = await openLine(t, await engine.migrated());
    const store = await openStore({ url: line.url, poolSize: 2, connectTimeout: 2000 });
    t.after(() => store.close());
    await put(store);
    line.cut();
    await assert.rejects(put(store), { code: 'unavailable' });
    await assert.rejects(size(store), { code: 'unavailable' });
    line.mend();
    await put(store);
    assert.equal(await size(store), 2);

    // Cut in the middle of an act: nothing of it stays.
    await assert.rejects(
      store.write(async (transaction) => {
        await transaction.insertInto('settings').values({ key: 'half', value: '1' }).execute();
        line.cut();
        await transaction.insertInto('settings').values({ key: 'other', value: '1' }).execute();
      }),
      { code: 'unavailable' },
    );
    line.mend();
    await put(store);
    assert.equal(await size(store), 3);
  });

  test('a server that does not answer is given up, at the start and later', async (t) => {
    const line = await openLine(t, await engine.migrated());
    // Long enough that a server that answers is never late on a busy machine.
    const limits = { connectTimeout: 1500, statementTimeout: 1500 };
    const store = await openStore({ url: line.url, poolSize: 2, ...limits });
    t.after(() => store.close());
    line.hold();
    await Promise.all([
      assert.rejects(openStore({ url: line.url, ...limits }), { code: 'unavailable' }),
      assert.rejects(put(store), { code: 'unavailable' }),
    ]);
    line.mend();
    await put(store);
    assert.equal(await size(store), 1);
  });

  test('a server that another process has checked need not answer at the start', async (t) => {
    const line = await openLine(t, await engine.migrated());
    line.cut();
    const store = await openStore({ url: line.url, checked: true, connectTimeout: 1000 });
    t.after(() => store.close());
    await assert.rejects(put(store), { code: 'unavailable' });
    line.mend();
    await put(store);
    assert.equal(await size(store), 1);
  });

  test('a statement that takes too long is stopped, and the session goes on', async (t) => {
    const store = await engine.open(t, { statementTimeout: 1000, poolSize: 1 });
    await assert.rejects(runText(store.read, 'select pg_sleep(60)', []), {
      code: 'unavailable',
      message: /too long/,
    });
    await assert.rejects(
      store.write((transaction) => runText(transaction, 'select pg_sleep(60)', [])),
      { code: 'unavailable' },
    );
    await put(store);
    assert.equal(await size(store), 1);
  });

  test('a server that ends sessions and becomes read-only is told, and used again', async (t) => {
    const url = await engine.migrated();
    const database = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: url.replace(`/${database}`, '/postgres') });
    await admin.connect();
    t.after(() => admin.end());
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`;
    const store = await openStore({ url, poolSize: 2 });
    t.after(() => store.close());
    await put(store);
    await admin.query(`alter database ${database} set default_transaction_read_only = on`);
    await admin.query(end);
    // A session that was ended while it was idle may be met once by reading and once by writing.
    await settled(() => size(store));
    await assert.rejects(
      settled(() => put(store)),
      { code: 'unavailable', message: /read-only/ },
    );
    await admin.query(`alter database ${database} reset default_transaction_read_only`);
    await put(store);
    assert.equal(await size(store), 2);
  });

  test('more writers than sessions wait, and are told when none comes free', async (t) => {
    const store = await engine.open(t, { poolSize: 2, connectTimeout: 100 });
    let end = (): void => {};
    const ended = new Promise<void>((open) => (end = open));
    let begun = (): void => {};
    const held = new Promise<void>((open) => (begun = open));
    const long = store.write(async () => {
      begun();
      await ended;
    });
    await held;
    await assert.rejects(put(store), { code: 'unavailable', message: /every session .* is in use/ });
    assert.equal(await size(store), 0, 'reading has sessions of its own');
    end();
    await long;
    await put(store);
  });

  test('a session that would answer before it is durable is made durable', async (t) => {
    const url = await engine.migrated();
    const database = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`alter database ${database} set synchronous_commit = off`);
    await admin.end();
    const store = await openStore({ url });
    t.after(() => store.close());
    const [row] = await store.write((transaction) =>
      runText<{ value: string }>(transaction, `select current_setting('synchronous_commit') as value`, []),
    );
    assert.deepEqual(row, { value: 'on' });
  });

  test('whatever isolation a server would give, appends that meet all go in', async (t) => {
    const url = await engine.migrated();
    const database = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`alter database ${database} set default_transaction_isolation = 'serializable'`);
    await admin.end();
    const store = await openStore({ url });
    t.after(() => store.close());
    const replicas = [ledgerWriter(store), ledgerWriter(store)] as const;
    const row = { at: 1, allowed: true, reason: '', image: 'nginx:1' };
    const entries = Array.from({ length: 12 }, (_, i) => ({ uid: `review ${i}`, rows: [row] }));
    await Promise.all(
      replicas.map(async (writer) => {
        for (const entry of entries) await writer.appendAll([entry]);
      }),
    );
    assert.equal(await ledgerReader(store).size(), 12);
  });
});

/** Once more where the first call only met a session that was cut. */
async function settled<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof StoreError && /cannot be reached/.test(error.message)) return act();
    throw error;
  }
}

suite('faults that a server tells', () => {
  const cases: readonly (readonly [code: string, as: string, sentence: RegExp])[] = [
    ['28P01', 'unreadable', /user or the password/],
    ['28000', 'unreadable', /user or the password/],
    ['3D000', 'unreadable', /does not exist/],
    ['42501', 'unwritable', /may not do that/],
    ['57014', 'unavailable', /too long/],
    ['55P03', 'unavailable', /lock/],
    ['25006', 'unavailable', /read-only/],
    ['40P01', 'unavailable', /another one/],
    ['53100', 'unavailable', /disk space/],
    ['53300', 'unavailable', /resources/],
    ['57P01', 'unavailable', /cannot be reached/],
    ['57P03', 'unavailable', /cannot be reached/],
    ['08006', 'unavailable', /cannot be reached/],
    ['ECONNREFUSED', 'unavailable', /ECONNREFUSED/],
    ['ENOTFOUND', 'unavailable', /ENOTFOUND/],
  ];
  for (const [code, as, sentence] of cases) {
    test(`${code} is ${as}`, () => {
      const cause = Object.assign(new Error('password hunter2 of postgres://u:hunter2@h/db'), { code });
      const fault = postgresFault(cause, 'db.example.com/ipo');
      assert.ok(fault instanceof StoreError);
      assert.equal(fault.code, as);
      assert.match(fault.message, sentence);
      assert.match(fault.message, /db\.example\.com\/ipo/);
      if (code !== '42501') assert.doesNotMatch(`${fault.message} ${fault.hint ?? ''}`, /hunter2/);
    });
  }

  test('a broken constraint and a defect of ours stay what they are', () => {
    for (const code of ['23505', '42601', '22P02', '42P01']) {
      const error = Object.assign(new Error('x'), { code });
      assert.equal(postgresFault(error, 'db'), error);
    }
  });
});
