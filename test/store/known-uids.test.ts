import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { insertMany, runText } from '../../src/store/sql/dialect.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { sizeOf } from '../../src/store/ledger/spans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { packUid } from '../../src/store/cells/uid.ts';
import { printOf } from '../../src/store/ledger/uid-prints.ts';
import { newRow, numbers, review, uidOf } from '../ledger/parts.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from './engines.ts';
import { listenTo, type Listened } from './statements.ts';

/** Rows that one statement may read, and all statements of one turn of the event loop. */
const AT_ONCE = 512;
const SEGMENT = 65_536;

/** Two uids with one fingerprint. */
const TWINS = ['9969888e-9078-2409-1936-ee75a6e785f1', '93d9d6fa-aa42-355e-0d76-5cca4a1a16ce'] as const;

/** Appends `count` rows of as many reviews behind what is there, past the writer. */
async function lengthen(store: Store, count: number): Promise<void> {
  if ((await sizeOf(store)) === 0) await ledgerWriter(store).appendAll([{ uid: null, rows: [newRow()] }]);
  await store.write(async (transaction) => {
    const [head] = await runText<{ size: number }>(
      transaction,
      'update ledger_head set size = size + ? where id = 1 returning size',
      [count],
    );
    const before = (head?.size ?? 0) - count;
    const [shape] = await runText<{ id: number }>(transaction, 'select min(id) as id from ledger_shapes', []);
    const types = {
      id: 'integer',
      at: 'integer',
      shape: 'integer',
      review_uid: 'blob',
      part: 'integer',
    } as const;
    await insertMany(
      transaction,
      'ledger_rows',
      types,
      Array.from({ length: count }, (_, i) => {
        const id = before + i + 1;
        return [id, 0, shape?.id ?? 0, packUid(uidOf(id)), 0];
      }),
    );
  });
}

function listen(t: TestContext, store: Store): Listened {
  const listened = listenTo(store);
  t.after(() => listened.stop());
  return listened;
}

/** Holds what was read against what may be read at once. */
function assertInTurns(statements: ReturnType<Listened['take']>): void {
  const turns = new Map<number, number>();
  for (const { text, rows, turn } of statements) {
    assert.ok(rows <= AT_ONCE, `a statement read ${rows} rows: ${text}`);
    turns.set(turn, (turns.get(turn) ?? 0) + rows);
  }
  const most = Math.max(0, ...turns.values());
  assert.ok(most <= 2 * AT_ONCE, `${most} rows were read in one turn of the event loop`);
}

const readUnderLock = (statements: ReturnType<Listened['take']>): number =>
  statements.filter(({ written }) => written).reduce((sum, { rows }) => sum + rows, 0);

forEachEngine('uids that are known', (engine) => {
  test('a process that appends no review reads none, appends beside one that does, and refuses a review', async (t) => {
    const store = await engine.open(t);
    await lengthen(store, 3 * AT_ONCE);
    const listened = listen(t, store);
    const rows = ledgerWriter(listened.store, { reviews: false });
    assert.equal(rows.unready?.() ?? null, null);
    await rows.appendAll([{ uid: null, rows: [newRow()] }]);
    assert.equal(
      listened.take().some(({ text }) => text.includes('review_uid from') || text.includes('as uid from')),
      false,
    );
    const reviews = ledgerWriter(store);
    await reviews.appendAll([review(1_000_001)]);
    await rows.appendAll([{ uid: null, rows: [newRow()] }]);
    await reviews.appendAll([review(1_000_002)]);
    assert.equal(await sizeOf(store), 3 * AT_ONCE + 5);
    await assert.rejects(rows.appendAll([review(1_000_003)]), TypeError);
  });

  test('of a long ledger no statement and no turn reads more than some rows, and the first append reads next to none', async (t) => {
    const store = await engine.open(t);
    await lengthen(store, SEGMENT + 5_000);
    for (const start of ['without anything stored', 'with a stored segment']) {
      const listened = listen(t, store);
      const writer = ledgerWriter(listened.store);
      await writer.follow();
      const read = listened.take();
      assertInTurns(read);
      assert.ok(
        read.every(({ written, rows }) => !written || rows === 0),
        start,
      );
      const [known, fresh] = await writer.appendAll([
        review(30_000),
        { uid: randomUUID(), rows: [newRow()] },
      ]);
      assert.deepEqual(
        [known?.repeat, numbers(known?.rows ?? []), fresh?.repeat],
        [true, [30_000], false],
        start,
      );
      const under = readUnderLock(listened.take());
      assert.ok(under < 10, `${under} rows were read under the lock`);
    }
  });

  test('an append that finds itself far behind reads what others appended outside the lock', async (t) => {
    const store = await engine.open(t);
    const listened = listen(t, store);
    const writer = ledgerWriter(listened.store);
    await writer.appendAll([review(1_000_000)]);
    await lengthen(store, 20_000);
    listened.take();
    const [known, fresh] = await writer.appendAll([review(9_000), review(1_000_001)]);
    assert.deepEqual([known?.repeat, fresh?.repeat], [true, false]);
    const statements = listened.take();
    assertInTurns(statements);
    assert.ok(readUnderLock(statements) < 100, `${readUnderLock(statements)} rows under the lock`);
    assert.equal(await sizeOf(store), 20_002);
  });

  test('a uid that only seems to be there costs a look at one row', async (t) => {
    const store = await engine.open(t);
    assert.equal(printOf(packUid(TWINS[0])), printOf(packUid(TWINS[1])));
    await ledgerWriter(store).appendAll([{ uid: TWINS[0], rows: [newRow()] }]);
    await lengthen(store, SEGMENT);
    const listened = listen(t, store);
    const writer = ledgerWriter(listened.store);
    await writer.follow();
    listened.take();
    const [twin] = await writer.appendAll([{ uid: TWINS[1], rows: [newRow()] }]);
    assert.equal(twin?.repeat, false);
    const looked = listened.take().filter(({ text }) => text.includes('part = 0'));
    assert.deepEqual(
      looked.map(({ rows, written }) => [rows, written]),
      [[1, true]],
    );
    const both = await writer.appendAll(TWINS.map((uid) => ({ uid, rows: [newRow()] })));
    assert.deepEqual(
      both.map(({ repeat, rows }) => [repeat, rows[0]?.review_uid]),
      TWINS.map((uid) => [true, uid]),
    );
  });

  test('what is stored and damaged is made again from the rows, in turns', async (t) => {
    const store = await engine.open(t);
    await lengthen(store, 2 * SEGMENT + 100);
    await ledgerWriter(store).follow();
    const stored = await store.read.selectFrom('ledger_uids').selectAll().orderBy('segment').execute();
    assert.deepEqual(
      stored.map(({ segment }) => segment),
      [0, 1],
    );
    const [first, second] = stored.map(({ prints }) => prints) as [Buffer, Buffer];
    const flipped = Buffer.from(first);
    flipped[4_000] = (flipped[4_000] as number) ^ 1;
    for (const damaged of [flipped, first.subarray(0, 9_999), Buffer.alloc(0), second]) {
      await store.write((transaction) =>
        transaction.updateTable('ledger_uids').set({ prints: damaged }).where('segment', '=', 0).execute(),
      );
      const listened = listen(t, store);
      const writer = ledgerWriter(listened.store);
      await writer.follow();
      assertInTurns(listened.take());
      const again = await writer.appendAll([1000, 65_536, 65_537, 131_100].map((n) => review(n)));
      assert.ok(again.every(({ repeat }) => repeat));
      assert.deepEqual(
        await store.read.selectFrom('ledger_uids').selectAll().orderBy('segment').execute(),
        stored,
      );
    }
  });

  test('a ledger that became shorter is read again', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    await lengthen(store, 3_000);
    await writer.appendAll([review(1_000_000)]);
    await store.write(async (transaction) => {
      await runText(transaction, 'delete from ledger_rows where id > 2000', []);
      await runText(transaction, 'update ledger_head set size = 2000', []);
    });
    const answers = await writer.appendAll([review(1_999), review(2_500), review(1_000_000)]);
    assert.deepEqual(
      answers.map(({ repeat, rows }) => [repeat, ...numbers(rows)]),
      [
        [true, 1_999],
        [false, 2_001],
        [false, 2_002],
      ],
    );
  });

  test('writers that append, follow and begin again while others do never take a review twice', async (t) => {
    const url = await engine.migrated();
    const stores = await Promise.all([1, 2].map(() => openStore({ url })));
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const [store] = stores as [Store];
    // So that a segment becomes full while they do.
    await lengthen(store, SEGMENT - 300);
    const act = fc.record({
      who: fc.nat(2),
      what: fc.constantFrom('append', 'append', 'append', 'append', 'follow', 'follow', 'begin again'),
      reviews: fc.array(fc.record({ n: fc.nat(400), rows: fc.integer({ min: 1, max: 3 }) }), {
        minLength: 1,
        maxLength: 8,
      }),
    });
    const writers = [stores[0], stores[0], stores[1]].map((one) => ledgerWriter(one as Store));
    const seen = new Map<number, number | null>();
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 10, size: 'max' }), async (acts) => {
        await Promise.all(
          acts.map(async ({ who, what, reviews }) => {
            if (what === 'begin again') writers[who] = ledgerWriter(stores[who >> 1] as Store);
            if (what !== 'append') return writers[who]?.follow();
            const entries = reviews.map(({ n, rows }) => review(1_000_000 + n, rows));
            const answers = (await writers[who]?.appendAll(entries)) ?? [];
            for (const [i, { rows }] of answers.entries()) {
              const n = reviews[i]?.n ?? 0;
              const id = rows[0]?.id ?? null;
              assert.equal(seen.get(n) ?? id, id, `review ${n}`);
              seen.set(n, id);
            }
          }),
        );
      }),
      { numRuns: runs(10) },
    );
    const twice = await runText(
      store.read,
      'select review_uid from ledger_rows where part = 0 and review_uid is not null group by review_uid having count(*) > 1',
      [],
    );
    assert.deepEqual(twice, []);
  });
});
