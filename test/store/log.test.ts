import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { keepLog } from '../../src/app/running/keep-log.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { Flag } from '../../src/store/engine/sqlite-flag.ts';
import { LogKeeper } from '../../src/store/engine/sqlite-log.ts';
import { syncedFile } from '../../src/store/engine/sqlite-synced.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { sqlite } from './engines.ts';

async function opened(
  t: TestContext,
): Promise<{ url: string; file: string; keeper: LogKeeper; writer: Database.Database }> {
  const url = await sqlite.migrated();
  const file = url.slice('sqlite:'.length);
  const writer = new Database(file, { timeout: 0 });
  writer.pragma('wal_autocheckpoint = 0');
  writer.exec('create table if not exists filler (bytes blob)');
  const keeper = new LogKeeper(file);
  t.after(() => {
    keeper.close();
    writer.close();
  });
  return { url, file, keeper, writer };
}

const fill = (writer: Database.Database, pages: number): void => {
  writer.exec('begin immediate');
  const insert = writer.prepare('insert into filler values (zeroblob(4000))');
  for (let i = 0; i < pages; i += 1) insert.run();
  writer.exec('commit');
};
const inLog = (writer: Database.Database): number =>
  (writer.pragma('wal_checkpoint(noop)') as { log: number }[])[0]?.log ?? NaN;
const commitsAfter = (store: Store): Promise<unknown> =>
  store.write((transaction) => runText(transaction, 'pragma wal_autocheckpoint', []));

suite('the write-ahead log of a file', () => {
  test('is kept while it is short, and begins again once it was long', async (t) => {
    const { keeper, writer } = await opened(t);
    fill(writer, 1000);
    assert.equal(keeper.step().outcome, 'quiet');
    assert.ok(inLog(writer) > 1000);
    fill(writer, 4000);
    assert.equal(keeper.step().outcome, 'begun');
    fill(writer, 1);
    assert.ok(inLog(writer) < 20, `${inLog(writer)} pages`);
    assert.equal(keeper.step().outcome, 'quiet');
  });

  test('is brought into the file by pieces while it is short, so that nothing is left for its end', async (t) => {
    const { keeper, writer } = await opened(t);
    keeper.step();
    fill(writer, 300);
    assert.equal(keeper.step().brought, false, 'too few to trouble the disk');
    fill(writer, 300);
    const { pages, inFile, outcome, brought } = keeper.step();
    assert.deepEqual([inFile, outcome, brought], [pages, 'quiet', true]);
    fill(writer, 1);
    assert.ok(inLog(writer) < 20, 'what a commit finds in the file begins the log again');
  });

  test('is synced by a descriptor of the file that stands in its place, and of that one only', () => {
    const directory = mkdtempSync(join(tmpdir(), 'synced-'));
    const file = join(directory, 'ipo.db');
    writeFileSync(file, 'one');
    const one = syncedFile(file);
    assert.equal(syncedFile(file), one);
    renameSync(file, `${file}.old`);
    writeFileSync(file, 'another');
    assert.notEqual(syncedFile(file), one);
    assert.equal(syncedFile(`${file}.old`), one);
    rmSync(directory, { recursive: true });
    assert.throws(() => syncedFile(file), { code: 'ENOENT' });
  });

  test('stays short under a writer that goes on between all steps', async (t) => {
    const { file, keeper, writer } = await opened(t);
    let longest = 0;
    for (let i = 0; i < 60; i += 1) {
      fill(writer, 500);
      for (let steps = 0; keeper.step().outcome === 'more' && steps < 5; steps += 1) fill(writer, 3);
      longest = Math.max(longest, inLog(writer));
    }
    assert.ok(longest < 6000, `${longest} pages`);
    assert.ok(statSync(`${file}-wal`).size < 64 * 1024 * 1024);
  });

  test('keeps what an old reader needs, and begins again once that is gone', async (t) => {
    const { file, keeper, writer } = await opened(t);
    const reader = new Database(file, { timeout: 0 });
    t.after(() => reader.close());
    fill(writer, 10);
    reader.exec('begin');
    reader.prepare('select count(*) from filler').get();
    fill(writer, 5000);
    assert.equal(keeper.step().outcome, 'more', 'what came before the reader');
    assert.equal(keeper.step().outcome, 'quiet');
    assert.ok(inLog(writer) > 5000);
    reader.exec('commit');
    assert.equal(keeper.step().outcome, 'begun');
  });

  test('never begins again while the first waits for the lock', async (t) => {
    const { file, keeper, writer } = await opened(t);
    const first = new Flag(file, '-first-waits');
    t.after(() => first.close());
    fill(writer, 5000);
    assert.ok(first.raise());
    assert.equal(keeper.step().outcome, 'more');
    const { pages, inFile } = keeper.step();
    assert.equal(inFile, pages, 'what needs no lock is done');
    first.lower();
  });

  test('is left to who keeps it by writers with a turn, and taken back once that is gone', async (t) => {
    const { url, keeper } = await opened(t);
    keeper.step();
    let now = 10_000;
    t.mock.method(performance, 'now', () => (now += 2000));
    const stores: Store[] = [];
    t.after(async () => {
      for (const store of stores) await store.close();
    });
    for (const turn of ['first', 'behind', undefined] as const)
      stores.push(await openStore({ url, ...(turn && { turn }) }));
    const [first, behind, alone] = stores as [Store, Store, Store];
    assert.deepEqual(await commitsAfter(first), [{ wal_autocheckpoint: 14_000 }]);
    assert.deepEqual(await commitsAfter(behind), [{ wal_autocheckpoint: 8000 }]);
    assert.deepEqual(await commitsAfter(alone), [{ wal_autocheckpoint: 4000 }]);
    keeper.close();
    assert.deepEqual(await commitsAfter(first), [{ wal_autocheckpoint: 4000 }]);
    assert.deepEqual(await commitsAfter(behind), [{ wal_autocheckpoint: 4000 }]);
  });
});

test('a thread keeps the log short, and ends with its service', async (t) => {
  const url = await sqlite.migrated();
  const writer = new Database(url.slice('sqlite:'.length), { timeout: 5000 });
  t.after(() => writer.close());
  writer.pragma('wal_autocheckpoint = 0');
  writer.exec('create table if not exists filler (bytes blob)');
  fill(writer, 5000);
  let tell = (_pages: number): void => {};
  const told = new Promise<number>((settle) => (tell = settle));
  const quiet = {
    debug: () => {},
    info: () => {},
    warn: (text: string) => assert.fail(text),
    error: () => {},
  };
  const kept = keepLog({
    url,
    log: quiet,
    metrics: { set: (_name, pages) => tell(pages) },
  });
  assert.ok((await told) > 5000);
  await kept.close();
  fill(writer, 1);
  assert.ok(inLog(writer) < 20);
});
