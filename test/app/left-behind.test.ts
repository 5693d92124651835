import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { loadConfig } from '../../src/app/config/config.ts';
import { placesOf } from '../../src/app/running/data-directory.ts';
import { checkLeftBehind } from '../../src/app/service/left-behind.ts';
import { asksNobody } from '../../src/app/running/offline.ts';
import { startService } from '../../src/app/start/service.ts';
import type { Log } from '../../src/base/index.ts';
import { installationId, openStore, planMigrations } from '../../src/store/index.ts';
import { openMetrics, Redactor } from '../../src/telemetry/index.ts';
import { grow, SILENT } from '../ledger/grown.ts';
import { forEachEngine, sqlite } from '../store/engines.ts';
import { scratchDirectory } from './running.ts';

const folder = mkdtempSync(join(tmpdir(), 'ipo-left-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A directory of a service on SQLite that recorded some rows, made once. */
let made: Promise<{ data: string; rows: number; installation: string }> | null = null;
function recorded(): NonNullable<typeof made> {
  return (made ??= (async () => {
    const data = mkdtempSync(join(folder, 'recorded-'));
    const store = await openStore({ url: `sqlite:${join(data, 'ipo.db')}` });
    await grow(store, 0, 12);
    const installation = await installationId(store);
    await store.close();
    return { data, rows: 12, installation };
  })());
}

async function copyOf(t: TestContext): Promise<string> {
  const data = scratchDirectory(t);
  writeFileSync(join(data, 'ipo.db'), readFileSync(join((await recorded()).data, 'ipo.db')));
  return data;
}

/** What a service does at its start with the database, but for answering. */
async function start(
  data: string,
  url: string | null,
  { startEmpty = false, log = SILENT }: { readonly startEmpty?: boolean; readonly log?: Log } = {},
): Promise<void> {
  const env = { ...asksNobody(), IPO_DATA: data, ...(url !== null && { IPO_DATABASE_URL: url }) };
  const places = placesOf((await loadConfig({ file: null, env })).settings);
  const found = await checkLeftBehind({ places, startEmpty, log });
  const store = await openStore({ url: places.databaseUrl });
  try {
    await found.settle(await installationId(store));
  } finally {
    await store.close();
  }
}

const refused = (sentence: RegExp) => (error: Error & { code?: string; hint?: string }) => {
  assert.equal(error.code, 'conflict', String(error));
  assert.match(error.message, sentence);
  assert.match(error.hint ?? '', /database\.startEmpty=true/);
  return true;
};

/** What the database is made of. SQLite leaves an empty log where it looked into a file that has none. */
const hashes = (data: string): Record<string, string> =>
  Object.fromEntries(
    ['ipo.db', 'ipo.db-wal']
      .filter((name) => existsSync(join(data, name)))
      .map((name) => [name, readFileSync(join(data, name))] as const)
      .filter(([, bytes]) => bytes.length > 0)
      .map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]),
  );

forEachEngine('a directory that holds a ledger', (engine) => {
  test('keeps the service from starting on an empty database, which stays untouched, as the ledger does', async (t) => {
    const data = await copyOf(t);
    const url = await engine.empty();
    const before = hashes(data);
    for (let again = 0; again < 2; again += 1)
      await assert.rejects(
        start(data, url),
        refused(/ is empty, and this directory holds another ledger: .*ipo\.db \(12 rows, 0 accounts\)$/),
      );
    assert.deepEqual(hashes(data), before);
    assert.ok(!existsSync(join(data, 'database.json')));
    const plan = await planMigrations(url);
    assert.ok(plan.migrations.every(({ appliedAt }) => appliedAt === null));
  });

  test('lets it start once a person said so, and from then on', async (t) => {
    const data = await copyOf(t);
    const url = await engine.empty();
    const before = hashes(data);
    const warned: string[] = [];
    const log: Log = { ...SILENT, warn: (message) => void warned.push(message) };
    await start(data, url, { startEmpty: true, log });
    assert.equal(warned.length, 1);
    await start(data, url);
    await start(data, url, { log });
    assert.deepEqual([hashes(data), warned.length], [before, 1]);
    // The mark is that of this database, not of any.
    await assert.rejects(
      start(data, await engine.empty()),
      refused(/ is empty, and this directory was last used with /),
    );
    await assert.rejects(
      start(data, null),
      refused(/ is that of another installation \(12 rows, 0 accounts\), and /),
    );
    await start(data, null, { startEmpty: true });
    await start(data, null);
  });

  test('keeps it from starting also when another replica, with a new volume, was quicker', async (t) => {
    const data = await copyOf(t);
    const url = await engine.empty();
    await start(scratchDirectory(t), url);
    const store = await openStore({ url });
    await grow(store, 0, 3);
    await store.close();
    await assert.rejects(
      start(data, url),
      refused(
        / is that of another installation \(3 rows, 0 accounts\), and this directory holds another ledger/,
      ),
    );
  });
});

test('a move is named where the new database is empty, and nowhere else, since it is denied there', async (t) => {
  const data = await copyOf(t);
  const hint = async (url: string): Promise<string> =>
    start(data, url).then(
      () => assert.fail('it started'),
      (error: Error & { hint?: string }) => error.hint ?? '',
    );
  assert.match(await hint(await sqlite.empty()), /ipo backup move\. To start without it/);
  const url = await sqlite.empty();
  await start(scratchDirectory(t), url);
  const store = await openStore({ url });
  await grow(store, 0, 3);
  await store.close();
  const taken = await hint(url);
  assert.doesNotMatch(taken, /ipo backup move/);
  assert.match(taken, /nothing is emptied, moved or deleted$/);
});

test('a directory lets the service start on the database that its ledger was moved to', async (t) => {
  const data = await copyOf(t);
  const url = await sqlite.migrated();
  const store = await openStore({ url });
  const { installation } = await recorded();
  await store.write(async (transaction) => {
    await transaction
      .insertInto('settings')
      .values({ key: 'installation_id', value: installation })
      .execute();
  });
  await store.close();
  await start(data, url);
});

test('a directory that was used with a database is not used with another, nor by itself, without a word', async (t) => {
  const data = scratchDirectory(t);
  const url = await sqlite.empty();
  await start(data, url); // it holds nothing yet: a wrong address binds nobody
  assert.ok(!existsSync(join(data, 'database.json')));
  const store = await openStore({ url });
  await grow(store, 0, 3);
  await store.close();
  await start(data, url);
  const mark = readFileSync(join(data, 'database.json'), 'utf8');
  assert.doesNotMatch(mark, /postgres:\/\/|password/);
  await assert.rejects(
    start(data, null),
    refused(/^the database is empty, and this directory was last used with /),
  );
  assert.ok(!existsSync(join(data, 'ipo.db')), 'none was made');
  await assert.rejects(
    start(data, await sqlite.empty()),
    refused(/ is empty, and this directory was last used with /),
  );
  await start(data, null, { startEmpty: true });
  assert.ok(!existsSync(join(data, 'database.json')));
});

test('what stands in ipo.db is told whatever its state, and an empty file is not a ledger', async (t) => {
  const empty = (): string => `sqlite:${join(scratchDirectory(t), 'other.db')}`;
  const put = (name: string, bytes: Uint8Array): string => {
    const data = scratchDirectory(t);
    writeFileSync(join(data, name), bytes);
    return data;
  };
  const whole = readFileSync(join((await recorded()).data, 'ipo.db'));
  await assert.rejects(
    start(put('ipo.db', whole.subarray(0, 3000)), empty()),
    refused(/not a whole SQLite database/),
  );
  await assert.rejects(
    start(put('ipo.db', Buffer.from('words '.repeat(900))), empty()),
    refused(/not a whole SQLite/),
  );
  await assert.rejects(
    start(put('ipo.db-wal', Buffer.alloc(64, 1)), empty()),
    refused(/its write-ahead log is there without it/),
  );
  await start(put('ipo.db', Buffer.alloc(0)), empty());
  await start(scratchDirectory(t), empty());

  const old = scratchDirectory(t);
  const database = new Database(join(old, 'ipo.db'));
  database.exec(
    `create table ledger (id integer primary key); insert into ledger values (1), (2);
     create table accounts (id text); insert into accounts values ('a')`,
  );
  database.close();
  await assert.rejects(start(old, empty()), refused(/ipo\.db \(2 rows, 1 account\)$/));

  const young = scratchDirectory(t);
  await (await openStore({ url: `sqlite:${join(young, 'ipo.db')}` })).close();
  await start(young, empty());

  // Rows that only the log has, as after a crash: they are seen, and the log is left as it is.
  const crashed = scratchDirectory(t);
  const live = scratchDirectory(t);
  const store = await openStore({ url: `sqlite:${join(live, 'ipo.db')}` });
  await grow(store, 0, 5);
  for (const name of ['ipo.db', 'ipo.db-wal'])
    writeFileSync(join(crashed, name), readFileSync(join(live, name)));
  await store.close();
  const before = hashes(crashed);
  await assert.rejects(start(crashed, empty()), refused(/ipo\.db \(5 rows, 0 accounts\)$/));
  assert.deepEqual(hashes(crashed), before);
  renameSync(join(crashed, 'ipo.db'), join(crashed, 'kept.db'));
  await assert.rejects(start(crashed, empty()), refused(/its write-ahead log is there without it/));
});

test('a whole service is kept from starting, with everything closed again', async (t) => {
  const data = await copyOf(t);
  const other = join(scratchDirectory(t), 'other.db');
  const env = {
    ...asksNobody(),
    IPO_DATA: data,
    IPO_LISTEN: '127.0.0.1:0',
    IPO_DATABASE_URL: `sqlite:${other}`,
  };
  const { settings } = await loadConfig({ file: null, env });
  const options = { version: '0.0.0-test', log: SILENT, metrics: openMetrics(), redactor: new Redactor() };
  await assert.rejects(
    startService({ settings, ...options }),
    refused(/this directory holds another ledger/),
  );
  assert.ok(!existsSync(other));
  const { settings: back } = await loadConfig({
    file: null,
    env: { ...env, IPO_DATABASE_URL: `sqlite://${data}/ipo.db` },
  });
  await (await startService({ settings: back, ...options })).close(0);
});
