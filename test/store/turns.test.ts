import assert from 'node:assert/strict';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { runText } from '../../src/store/sql/dialect.ts';
import { openStore, type StoreOptions } from '../../src/store/engine/open.ts';
import { Flag } from '../../src/store/engine/sqlite-flag.ts';
import { turnsOf, type Turn, type TurnTimes } from '../../src/store/engine/sqlite-turns.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { sqlite } from './engines.ts';

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-turns-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'ipo.db');
}

/** Time that passes while somebody waits, and nothing else. */
function madeTime(waited: (now: number) => void = () => {}): TurnTimes & { now: () => number } {
  let now = 0;
  return {
    now: () => now,
    wait: async (ms) => {
      now += ms;
      waited(now);
    },
  };
}

async function pair(t: TestContext): Promise<Record<Turn, Store>> {
  const url = await sqlite.migrated();
  const open = async (options: Omit<StoreOptions, 'url'>): Promise<Store> => {
    const store = await openStore({ ...options, url });
    t.after(() => store.close());
    return store;
  };
  return { first: await open({ turn: 'first' }), behind: await open({ turn: 'behind' }) };
}

const put = (store: Store, key: string, order: string[]) =>
  store.write(async (transaction) => {
    order.push(key);
    await transaction.insertInto('settings').values({ key, value: '' }).execute();
  });

suite('turns of the processes that write to one file', () => {
  test('the first writes before the next transaction of one behind, however many of those wait', async (t) => {
    const { first, behind } = await pair(t);
    const order: string[] = [];
    const asked: Promise<unknown>[] = [];
    const all = ['b1', 'b2', 'b3', 'b4'].map((key) =>
      behind.write(async (transaction) => {
        order.push(key);
        await transaction.insertInto('settings').values({ key, value: '' }).execute();
        if (asked.length > 0) return;
        asked.push(put(first, 'f', order));
        await new Promise(setImmediate); // it finds the lock taken
      }),
    );
    await Promise.all(all);
    await Promise.all(asked);
    assert.deepEqual(order, ['b1', 'f', 'b2', 'b3', 'b4']);
  });

  test('a process with a turn never blocks in SQLite while it waits', async (t) => {
    for (const store of Object.values(await pair(t))) {
      const rows = await store.write((transaction) =>
        runText<{ timeout: number }>(transaction, 'pragma busy_timeout', []),
      );
      assert.deepEqual(rows, [{ timeout: 0 }]);
    }
  });

  test('one behind heeds a first that waits, and after a while not one that was stopped', async (t) => {
    const file = scratch(t);
    const waits = new Flag(file, '-first-waits');
    t.after(() => waits.close());
    assert.ok(waits.raise());
    const time = madeTime();
    const behind = turnsOf(file, 'behind', 10_000, time);
    t.after(() => behind.close());
    const tried: number[] = [];
    await behind.begin(() => tried.push(time.now()));
    assert.deepEqual(tried, [250]);
    waits.lower();
    await behind.begin(() => tried.push(time.now()));
    assert.deepEqual(tried, [250, 250]);
  });

  test('the first leaves a gap for one behind that never found the lock free, now and then and not for long', async (t) => {
    const file = scratch(t);
    const asks = new Flag(file, '-behind-waits');
    t.after(() => asks.close());
    assert.ok(asks.raise());
    const time = madeTime();
    const first = turnsOf(file, 'first', 10_000, time);
    t.after(() => first.close());
    const begun: number[] = [];
    for (let i = 0; i < 200; i += 1) {
      await first.begin(() => begun.push(time.now()));
      await time.wait(1); // a transaction
    }
    const gaps = begun.flatMap((at, i) =>
      at - (begun[i - 1] ?? 0) > 1 ? [at - (begun[i - 1] ?? 0) - 1] : [],
    );
    assert.ok(gaps.length >= 3 && gaps.length <= 5, `${gaps.length} gaps`);
    assert.ok(gaps.every((gap) => gap <= 5));
    asks.lower();
    const before = time.now();
    await first.begin(() => begun.push(time.now()));
    assert.equal(time.now(), before, 'nobody asks any more');
  });

  test('one behind asks for a gap once it has found the lock taken for a while', async (t) => {
    const file = scratch(t);
    const asks = new Flag(file, '-behind-waits');
    t.after(() => asks.close());
    let since: number | null = null;
    const time = madeTime((now) => {
      if (asks.isUp) since ??= now;
    });
    const behind = turnsOf(file, 'behind', 10_000, time);
    t.after(() => behind.close());
    const database = new Database(file);
    t.after(() => database.close());
    const other = new Database(file, { timeout: 0 });
    t.after(() => other.close());
    database.exec('begin immediate');
    await behind.begin(() => {
      if (time.now() >= 40 && database.inTransaction) database.exec('rollback');
      other.exec('begin immediate');
    });
    assert.ok(since !== null && since >= 20 && since <= 22, `asked at ${since}`);
    assert.equal(asks.isUp, false, 'it has its turn');
  });

  test('the first has the lock a millisecond after the transaction of another', async (t) => {
    const file = scratch(t);
    const database = new Database(file);
    t.after(() => database.close());
    const other = new Database(file, { timeout: 0 });
    t.after(() => other.close());
    const time = madeTime((now) => {
      if (now >= 2 && database.inTransaction) database.exec('rollback');
    });
    const first = turnsOf(file, 'first', 10_000, time);
    t.after(() => first.close());
    database.exec('begin immediate');
    const tried: number[] = [];
    await first.begin(() => {
      tried.push(time.now());
      other.exec('begin immediate');
    });
    assert.deepEqual(tried, [0, 1, 2]);
    const waits = new Flag(file, '-first-waits');
    t.after(() => waits.close());
    assert.equal(waits.isUp, false);
  });

  test('who waits for longer than it may says what it waited for', async (t) => {
    for (const turn of ['first', 'behind', undefined] as const) {
      const file = scratch(t);
      const time = madeTime();
      const turns = turnsOf(file, turn, 100, time);
      t.after(() => turns.close());
      const database = new Database(file);
      t.after(() => database.close());
      const other = new Database(file, { timeout: 0 });
      t.after(() => other.close());
      database.exec('begin immediate');
      await assert.rejects(
        turns.begin(() => other.exec('begin immediate')),
        { code: 'SQLITE_BUSY' },
      );
      assert.ok(time.now() >= 100 && time.now() <= 150);
    }
  });

  const skip = process.getuid?.() === 0 ? false : 'only root can act for somebody else';
  test('flags that root makes belong to the owner of the database', { skip }, (t) => {
    const file = scratch(t);
    new Database(file).close();
    chownSync(file, 65_534, 65_534);
    turnsOf(file, 'behind', 100).close();
    assert.equal(statSync(`${file}-first-waits`).uid, 65_534);
    assert.equal(statSync(`${file}-behind-waits`).gid, 65_534);
    assert.equal(statSync(`${file}-behind-waits`).mode & 0o777, 0o600);
  });

  test('a mark goes with the process that set it', (t) => {
    const file = scratch(t);
    const [one, two] = [new Flag(file, '-flag'), new Flag(file, '-flag')];
    t.after(() => two.close());
    assert.ok(one.raise());
    assert.ok(two.isUp);
    assert.equal(one.isUp, false, 'its own');
    assert.equal(two.raise(), false);
    one.close();
    assert.equal(two.isUp, false);
    assert.ok(two.raise());
  });
});

suite('write transactions are told', () => {
  test('with who called for them, how long they waited and held, joined ones with the whole', async (t) => {
    const told: { from: string; held: number; waited: number }[] = [];
    const store = await sqlite.open(t, {
      onWrite: ({ from, ...times }) => told.push({ ...times, from: from() }),
    });
    await async function namedCaller() {
      await store.write(async () => {
        await put(store, 'a', []);
        await put(store, 'b', []);
      });
    }.call(null);
    await assert.rejects(
      store.write(async () => {
        throw new Error('it failed');
      }),
    );
    assert.equal(told.length, 2);
    assert.match(told[0]?.from ?? '', /^namedCaller /);
    assert.ok(told.every(({ held, waited }) => held > 0 && waited >= 0));
  });
});
