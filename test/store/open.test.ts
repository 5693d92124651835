import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { insertMany, runText } from '../../src/store/sql/dialect.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { planMigrations } from '../../src/store/engine/plan.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine } from './engines.ts';
import { makeRelease, migrateTo, openRaw } from './releases.ts';

const put = (store: Store, key: string, value = '1') =>
  store.write((transaction) => transaction.insertInto('settings').values({ key, value }).execute());
const keys = async (store: Store): Promise<string[]> =>
  (await store.read.selectFrom('settings').select('key').orderBy('key').execute()).map(({ key }) => key);

forEachEngine('the store', (engine) => {
  test('what a write gives is read, and an act that throws leaves nothing', async (t) => {
    const store = await engine.open(t);
    await put(store, 'a');
    await assert.rejects(
      store.write(async (transaction) => {
        await transaction.insertInto('settings').values({ key: 'b', value: '1' }).execute();
        await put(store, 'c');
        throw new Error('no');
      }),
      /no/,
    );
    assert.deepEqual(await keys(store), ['a']);
  });

  test('a write within a write joins it; what is not committed is read by nobody', async (t) => {
    const store = await engine.open(t);
    await store.write(async () => {
      await put(store, 'a');
      await Promise.all([put(store, 'b'), put(store, 'c')]);
      assert.deepEqual(await keys(store), []);
    });
    assert.deepEqual(await keys(store), ['a', 'b', 'c']);
  });

  test('a write that joined and threw takes the whole with it, even where its error was caught', async (t) => {
    const store = await engine.open(t);
    const fails = store.write(async () => {
      await put(store, 'a');
      const inner = store.write(async () => {
        await put(store, 'b');
        throw new Error('half');
      });
      await inner.catch(() => {});
    });
    await assert.rejects(fails, /half/);
    assert.deepEqual(await keys(store), []);
  });

  test('what an act leaves running after its end writes on its own', async (t) => {
    const store = await engine.open(t);
    let go = (): void => {};
    const gate = new Promise<void>((open) => (go = open));
    let left: Promise<unknown> = Promise.resolve();
    await store.write(async () => {
      left = gate.then(() => put(store, 'later'));
    });
    go();
    await left;
    assert.deepEqual(await keys(store), ['later']);
  });

  test('only code inside a write sees that it is', async (t) => {
    const [store, other] = [await engine.open(t), await engine.open(t)];
    assert.equal(store.isWriting(), false);
    let left = Promise.resolve(true);
    let go = (): void => {};
    const gate = new Promise<void>((open) => (go = open));
    await store.write(async () => {
      await put(store, 'a');
      assert.deepEqual([store.isWriting(), other.isWriting()], [true, false]);
      left = gate.then(() => store.isWriting());
    });
    go();
    assert.equal(await left, false, 'what an act left running is outside');
  });

  test('ledger rows inside a write are refused at once, since they would wait for its end', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    await assert.rejects(
      store.write(async () => {
        await put(store, 'a');
        await writer.appendAll([]);
      }),
      { name: 'TypeError', message: /not inside it/ },
    );
    assert.deepEqual(await keys(store), []);
    assert.deepEqual(await writer.appendAll([]), []);
  });

  test('writes that start together all happen', async (t) => {
    const store = await engine.open(t);
    await Promise.all(Array.from({ length: 50 }, (_, i) => put(store, `k${i + 10}`)));
    assert.equal((await keys(store)).length, 50);
  });

  test('many rows go in at once, with bytes, nulls, large integers and strange texts', async (t) => {
    const store = await engine.open(t);
    const types = { size: 'integer', root: 'blob', note: 'text', at: 'integer' } as const;
    const rows = await store.write(async (transaction) => {
      await insertMany(transaction, 'checkpoints', types, []);
      await insertMany(transaction, 'checkpoints', types, [
        [1, Buffer.from([0, 255]), 'a"b\\c,{}\n\t', Number.MAX_SAFE_INTEGER],
        [2, Buffer.alloc(0), 'NULL', -1],
        [3, Buffer.from('\\x41'), 'NUL \0 and half \ud800 a pair', 0],
      ]);
      await insertMany(
        transaction,
        'checkpoints',
        types,
        [[3, Buffer.alloc(0), 'again', 7]],
        'on conflict do nothing',
      );
      return runText(transaction, 'select * from checkpoints where size >= ? order by size', [1]);
    });
    assert.deepEqual(rows, [
      { size: 1, root: Buffer.from([0, 255]), note: 'a"b\\c,{}\n\t', at: Number.MAX_SAFE_INTEGER },
      { size: 2, root: Buffer.alloc(0), note: 'NULL', at: -1 },
      { size: 3, root: Buffer.from('\\x41'), note: 'NUL \ufffd and half \ufffd a pair', at: 0 },
    ]);
  });

  test('texts are in the order of their bytes, whatever the locale', async (t) => {
    const store = await engine.open(t);
    const names = ['Z', 'a', 'Ä', 'ä', '_', '~', '\u{ff5e}', '\u{1f600}', '10', '9'];
    for (const name of names) await put(store, name);
    const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await keys(store), sorted);
  });

  test('a store for reading writes nothing, whichever way', async (t) => {
    const url = await engine.migrated();
    const store = await openStore({ url, readOnly: true });
    t.after(() => store.close());
    await assert.rejects(put(store, 'a'), { code: 'unwritable' });
    await assert.rejects(store.read.insertInto('settings').values({ key: 'a', value: '' }).execute());
    const both = await openStore({ url });
    t.after(() => both.close());
    await assert.rejects(both.read.insertInto('settings').values({ key: 'a', value: '' }).execute());
    await put(both, 'b');
    assert.deepEqual(await keys(store), ['b']);
  });

  test('a database of an earlier release is refused by those who may not change it', async () => {
    const url = await engine.empty();
    await makeRelease(url, '1.0.2');
    for (const options of [{ readOnly: true }, { migrate: false }])
      await assert.rejects(openStore({ url, ...options }), {
        code: 'migration',
        message: new RegExp(`release 1\\.0\\.2.*${MIGRATIONS.length - 12} migrations`),
      });
  });

  test('a database of a later release is refused, and not changed', async () => {
    const url = await engine.empty();
    const db = await openRaw(url);
    await migrateTo(db, MIGRATIONS.length);
    await db
      .insertInto('migrations')
      .values({ name: '0999-tomorrow', release: '1.4.0', applied_at: 1 })
      .execute();
    await db.destroy();
    await assert.rejects(openStore({ url }), {
      code: 'migration',
      message: /newer release \(0999-tomorrow of 1\.4\.0\)/,
    });
    await assert.rejects(openStore({ url, migrations: MIGRATIONS.slice(0, 34) }), { message: /0035-/ });
    await assert.rejects(planMigrations(url), { code: 'migration' });
  });

  test('a database of another program is refused, and not changed', async () => {
    for (const statements of [
      ['create table customers (id integer)'],
      ['create table migrations (id integer, file text)'],
      [
        'create table migrations (name text, release text, applied_at integer)',
        `insert into migrations values ('1-x', '', 1)`,
      ],
    ]) {
      const url = await engine.empty();
      const other = engine.name === 'sqlite' ? new Database(url.slice('sqlite:'.length)) : null;
      for (const statement of statements) other?.exec(statement);
      other?.close();
      const db = await openRaw(url);
      for (const statement of other === null ? statements : []) await runText(db, statement, []);
      await assert.rejects(openStore({ url }), { code: 'migration' });
      const names =
        engine.name === 'sqlite' ? 'sqlite_master' : 'pg_tables where schemaname = current_schema()';
      const [{ n } = { n: 0 }] = await runText<{ n: number }>(db, `select count(*) as n from ${names}`, []);
      assert.equal(n, 1);
      await db.destroy();
      if (engine.name === 'sqlite') assert.equal(readFileSync(url.slice('sqlite:'.length))[18], 1, 'no WAL');
    }
  });

  test('a migration that fails keeps nothing of itself, and all that was before', async () => {
    const url = await engine.empty();
    const broken = {
      name: '0005-broken',
      release: '0.1.0',
      summary: 'half a step',
      up: async (db: Parameters<(typeof MIGRATIONS)[number]['up']>[0]) => {
        await runText(db, 'create table half (id integer)', []);
        await runText(db, 'select nonsense from nowhere', []);
      },
    };
    const migrations = [...MIGRATIONS.slice(0, 4), broken];
    await assert.rejects(openStore({ url, migrations }), {
      code: 'migration',
      message: /0005-broken failed/,
    });
    const plan = await planMigrations(url, { migrations });
    assert.deepEqual(
      plan.migrations.map(({ appliedAt }) => appliedAt !== null),
      [true, true, true, true, false],
    );
    const db = await openRaw(url);
    await assert.rejects(runText(db, 'select * from half', []));
    await db.destroy();
    await (await openStore({ url })).close();
  });

  test('a plan writes nothing, also where there is no database yet', async () => {
    const url = await engine.empty();
    const before = await planMigrations(url);
    assert.equal(before.exists, engine.name === 'postgres');
    assert.ok(before.migrations.every(({ appliedAt }) => appliedAt === null));
    assert.equal(before.migrations.length, MIGRATIONS.length);
    if (engine.name === 'sqlite')
      assert.equal(statSync(url.slice('sqlite:'.length), { throwIfNoEntry: false }), undefined);
    assert.deepEqual(await planMigrations(url), before);
    if (engine.name === 'postgres') {
      const missing = new URL(url);
      missing.pathname = '/ipo_test_none';
      assert.equal((await planMigrations(missing.href)).exists, false);
      await assert.rejects(openStore({ url: missing.href }), {
        code: 'unreadable',
        message: /does not exist/,
      });
    }
  });
});

test('a file is made for its owner only, and the service asks for no other', async (t) => {
  const { mkdtempSync, rmSync } = await import('node:fs');
  const { join } = await import('node:path');
  const { tmpdir } = await import('node:os');
  const folder = mkdtempSync(join(tmpdir(), 'ipo-open-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'ipo.db');
  const store = await openStore({ url: `sqlite:${file}` });
  t.after(() => store.close());
  await put(store, 'a');
  for (const name of [file, `${file}-wal`, `${file}-shm`])
    assert.equal(statSync(name).mode & 0o777, 0o600, name);
  const [mode] = await runText(store.read, 'select * from pragma_journal_mode', []);
  assert.deepEqual(mode, { journal_mode: 'wal' });
  await assert.rejects(openStore({ url: `sqlite:${join(folder, 'other.db')}`, readOnly: true }), {
    code: 'unreadable',
    message: /does not exist/,
  });
});

test('an address that names no database is told without repeating it', async () => {
  for (const url of [
    '',
    'ipo.db',
    'mysql://u:hunter2@h/db',
    'postgres://u:hunter2@[bad/db',
    'sqlite:',
    'sqlite:a\0b',
  ]) {
    const error = await openStore({ url }).catch((caught: unknown) => caught);
    assert.ok(error instanceof Error && 'code' in error && error.code === 'usage', url);
    assert.doesNotMatch(`${error.message} ${String('hint' in error && error.hint)}`, /hunter2/);
  }
});
