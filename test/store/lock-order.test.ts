import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerWriter } from '../../src/ledger/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { touchAll } from '../../src/store/facts/image-states.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { followLedger } from '../../src/store/images/sightings.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine, type TestEngine } from './engines.ts';
import { AT, digestOf } from './image-records.ts';

/** Two processes on one database. */
async function openTwo(engine: TestEngine, t: TestContext): Promise<[Store, Store]> {
  const url = await engine.migrated();
  const both = [await openStore({ url }), await openStore({ url })] as [Store, Store];
  t.after(() => Promise.all(both.map((store) => store.close())));
  return both;
}

/** Appends one review of some images, in their order. */
async function review(writer: LedgerWriter, second: number, images: readonly number[]): Promise<void> {
  const at = AT + second * 1000;
  const rows = images.map((n) => ({
    ...{ at, kind: 'review', namespace: 'shop', pod: 'web', container: `c${n}`, allowed: true, reason: '' },
    ...{ image: `ghcr.io/acme/web${n}:1`, digest: digestOf(n) },
  }));
  await writer.appendAll([{ uid: `review-${second}`, rows }]);
}

/** Changes a name as the record of a scan does, which holds its line to the end of the transaction. */
const hold = (transaction: Parameters<typeof runText>[0], n: number) =>
  runText(transaction, 'update image_names set not_asked = not_asked where digest = ?', [digestOf(n)]);

/** Resolves once a session of this database waits for a lock; rejects where what is running ends first. */
async function waits(store: Store, running: Promise<unknown>): Promise<void> {
  const act = { ended: false };
  const end = (): void => void (act.ended = true);
  running.then(end, end);
  while (!act.ended) {
    const waiting = await runText(
      store.read,
      `select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      [],
    );
    if (waiting.length > 0) return;
    await nextTurn();
  }
  assert.fail('it waited for nothing');
}

forEachEngine('the order in which lines are held', (engine) => {
  // SQLite has one writer.
  const skip = engine.name === 'sqlite';

  test('a scan that is recorded while the ledger is followed is not given up for it', { skip }, async (t) => {
    const [store, other] = await openTwo(engine, t);
    const writer = ledgerWriter(store);
    await review(writer, 0, [1]);
    await followLedger(store, 100);
    await review(writer, 30, [1]);
    let following = Promise.resolve(false);
    await store.write(async (transaction) => {
      await hold(transaction, 1);
      following = followLedger(other, 100);
      await waits(store, following);
      await touchAll(transaction, [digestOf(1)]);
    });
    assert.equal(await following, true);
  });

  test(
    'reviews that are appended while the ledger is followed are not given up for it',
    { skip },
    async (t) => {
      const [store, other] = await openTwo(engine, t);
      const [first = 1, second = 2] = [1, 2].toSorted((a, b) => (digestOf(a) < digestOf(b) ? -1 : 1));
      await review(ledgerWriter(store), 0, [first, second]);
      let appending = Promise.resolve();
      await store.write(async (transaction) => {
        await hold(transaction, first);
        appending = review(ledgerWriter(other), 90, [second, first]);
        await waits(store, appending);
        await hold(transaction, second);
      });
      await appending;
    },
  );
});
