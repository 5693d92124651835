import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { openFileSpool } from '../../src/adapters/spool/index.ts';
import { Appender, type Timers } from '../../src/ledger/index.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { openStore } from '../../src/store/engine/open.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { all, handTimers, listen, realTimers, review, tally, uidOf, until } from '../ledger/parts.ts';
import { forEachEngine } from './engines.ts';

/** Keeps everybody else from appending, as a long write or a lock does; gives the act that lets go. */
async function occupy(url: string): Promise<() => Promise<void>> {
  if (url.startsWith('sqlite:')) {
    const other = new Database(url.slice('sqlite:'.length));
    other.exec('begin immediate');
    return async () => void other.close();
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('select size from ledger_head where id = 1 for update');
  return () => client.end();
}

async function uidsIn(store: Store): Promise<(string | null | undefined)[]> {
  const reader = ledgerReader(store);
  const rows = await all(reader.oldestFirst({ first: 1, last: await reader.size() }));
  return rows.map((row) => row.review_uid);
}

/** A statement that waits for the lock ends by its own limit; on SQLite a transaction by that of the lock. */
const IMPATIENT = { lockTimeout: 20, connectTimeout: 2000, statementTimeout: 60 };

/** What closes whatever is open, also where the test fails. */
async function openAppender(url: string, directory: string, timers: Timers, limits = {}) {
  const store = await openStore({ url, ...limits });
  const [log, count] = [listen(), tally()];
  const spool = await openFileSpool({ directory, log });
  return {
    store,
    log,
    count,
    appender: new Appender({ writer: ledgerWriter(store), spool, timers, log, count }),
  };
}

const UIDS = Array.from({ length: 60 }, (_, n) => uidOf(n));
const HOUR = 3_600_000;

forEachEngine('the end of a replica whose database is occupied', (engine) => {
  const place = (t: TestContext): string => {
    const directory = mkdtempSync(join(tmpdir(), 'ipo-close-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
  };

  test('leaves in the spool what it could not write, and the next process there puts it back once', async (t) => {
    const [url, directory, timers] = [await engine.migrated(), place(t), handTimers()];
    const first = await openAppender(url, directory, timers, IMPATIENT);
    const letGo = await occupy(url);
    const answers = await Promise.all(UIDS.map((_, n) => first.appender.append(review(n))));
    assert.ok(answers.every(({ delayed }) => delayed));
    const closed = first.appender.close(3000);
    await until(
      () => timers.waits.includes(3000) && timers.waits.length > 1,
      'it has failed once more',
      1_000_000,
    );
    timers.fire(3000);
    await closed;
    assert.equal(first.log.lines.filter((line) => line.includes('stay in the spool')).length, 1);
    await first.store.close();
    await letGo();
    assert.equal(readdirSync(directory).length, 1);

    const second = await openAppender(url, directory, realTimers);
    assert.equal(second.count.totals['svc_ledger_found_rows_total'], 60);
    await second.appender.close(HOUR);
    assert.deepEqual(await uidsIn(second.store), UIDS);
    assert.deepEqual(readdirSync(directory), []);
    assert.ok(!second.log.lines.some((line) => line.includes('stay in the spool')), second.log.lines.join());
    await second.store.close();
  });

  test('writes it all where the database is free again before the time is over', async (t) => {
    const [url, directory, timers] = [await engine.migrated(), place(t), handTimers()];
    const { appender, store } = await openAppender(url, directory, timers, IMPATIENT);
    const letGo = await occupy(url);
    await Promise.all(UIDS.map((_, n) => appender.append(review(n))));
    const closed = appender.close(HOUR);
    await until(() => timers.waits.length > 1, 'it has failed once more', 1_000_000);
    await letGo();
    const again = timers.waits.find((ms) => ms !== HOUR);
    timers.fire(again);
    await closed;
    assert.equal(appender.delayed, false);
    await store.close();
    const reading = await openStore({ url });
    assert.deepEqual(await uidsIn(reading), UIDS);
    assert.deepEqual(readdirSync(directory), []);
    await reading.close();
  });
});
