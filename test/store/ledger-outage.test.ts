import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { openFileSpool } from '../../src/adapters/spool/index.ts';
import { Appender } from '../../src/ledger/index.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { all, handTimers, listen, numbers, review, tally, uidOf, until } from '../ledger/parts.ts';
import { forEachEngine } from './engines.ts';

/** Takes a database away from everybody who uses it; gives the act that brings it back. */
async function takeAway(url: string): Promise<() => Promise<void>> {
  if (url.startsWith('sqlite:')) {
    const other = new Database(url.slice('sqlite:'.length));
    other.exec('begin immediate');
    return async () => void other.close();
  }
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = '/postgres';
  const admin = new pg.Client({ connectionString: server.href });
  await admin.connect();
  await admin.query(`alter database ${name} allow_connections false`);
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  return async () => {
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.end();
  };
}

forEachEngine('a database that goes away', (engine) => {
  test('takes nothing with it that was answered: all is there once and in order when it is back', async (t) => {
    const url = await engine.migrated();
    const store = await openStore({ url, lockTimeout: 40, connectTimeout: 2000, statementTimeout: 5000 });
    const directory = mkdtempSync(join(tmpdir(), 'ipo-outage-'));
    const [timers, log, count] = [handTimers(), listen(), tally()];
    const spool = await openFileSpool({ directory, log });
    const appender = new Appender({ writer: ledgerWriter(store), spool, timers, log, count });
    t.after(async () => {
      await appender.close();
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    });
    let next = 0;
    const answers: Promise<{ readonly delayed: boolean; readonly repeat: boolean }>[] = [];
    const load = (reviews: number): void => {
      for (let i = 0; i < reviews; i += 1, next += 1)
        answers.push(appender.append(review(next, (next % 3) + 1)));
      answers.push(appender.append(review(next - 1, 1))); // sent again
    };
    load(50);
    await Promise.all(answers);
    for (let outage = 0; outage < 2; outage += 1) {
      const bringBack = await takeAway(url);
      // Under load: some are on their way when it goes, some come while it is away, some while it comes back.
      load(100);
      await until(() => appender.delayed, 'the spool takes over', 1_000_000);
      load(100);
      await Promise.all(answers);
      await until(
        () => (timers.fire(), timers.waits.length === 0),
        'it has tried again and failed',
        1_000_000,
      );
      await bringBack();
      load(50);
      await until(() => (timers.fire(), !appender.delayed), 'the spool is empty again', 1_000_000);
    }
    load(50);
    const answered = await Promise.all(answers);
    assert.ok(answered.some(({ delayed }) => delayed));
    assert.equal(answered.filter(({ repeat }) => repeat).length, 8);
    const reader = ledgerReader(store);
    const rows = await all(reader.oldestFirst({ first: 1, last: await reader.size() }));
    const expected = Array.from({ length: next }, (_, n) =>
      Array.from({ length: (n % 3) + 1 }, () => uidOf(n)),
    ).flat();
    assert.deepEqual(
      rows.map((row) => row.review_uid),
      expected,
    );
    assert.deepEqual(
      numbers(rows),
      expected.map((_, i) => i + 1),
    );
    assert.deepEqual(readdirSync(directory), []);
    assert.equal(
      count.totals['svc_ledger_put_back_rows_total'],
      count.totals['svc_ledger_spooled_rows_total'],
    );
    assert.ok(!log.lines.some((line) => line.startsWith('error')), log.lines.join('\n'));
  });
});
