import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { AppendError, type LedgerEntry, type LedgerWriter, type Stored } from '../../src/ledger/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { sizeOf, SPAN_ROWS } from '../../src/store/ledger/spans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { AT, newRow, review } from '../ledger/parts.ts';
import { runs } from '../runs.ts';
import { forEachEngine, sqlite } from './engines.ts';

const TABLES = ['ledger_head', 'ledger_rows', 'ledger_spans', 'ledger_shapes', 'images', 'image_names'];

/** What the tables of a ledger hold. */
async function contentOf({ read }: Store): Promise<unknown> {
  const tables = TABLES.map(async (table) => await runText(read, `select * from ${table} order by 1, 2`, []));
  return Promise.all(tables);
}

/** A writer that has read what there is, so that nothing but what is new keeps it from appending at once. */
async function writerOf(store: Store): Promise<LedgerWriter & Required<Pick<LedgerWriter, 'appendNow'>>> {
  const writer = ledgerWriter(store);
  await writer.appendAll([]);
  return writer as ReturnType<typeof ledgerWriter> & Required<Pick<LedgerWriter, 'appendNow'>>;
}

/** Opens the database of a store once more, as another process does. */
async function again(t: TestContext, url: string): Promise<Store> {
  const store = await openStore({ url });
  t.after(() => store.close());
  return store;
}

suite('appending at once', () => {
  test('leaves the same in the database and gives the same answers as appending in turn', async (t) => {
    const entry = fc
      .record({
        // Few numbers make repeats, many make none.
        n: fc.oneof(fc.nat(60), { arbitrary: fc.integer({ min: 100, max: 60_000 }), weight: 30 }),
        rows: fc.integer({ min: 1, max: 3 }),
        at: fc.constantFrom(0, 1, 70_000),
        image: fc.constantFrom('nginx:1.27', 'registry.example/app:2'),
        digest: fc.constantFrom('a', 'b').map((letter) => `sha256:${letter.repeat(64)}`),
        allowed: fc.boolean(),
        requester: fc.constantFrom('system:node', 'user\0'),
        pod: fc.constantFrom('web-1', 'half \ud800 of a pair'),
      })
      .map(({ n, rows, at, ...row }) => review(n, rows, { at: AT + n + at, ...row }));
    const groups = fc.array(fc.array(entry, { minLength: 1, maxLength: 40 }), { maxLength: 12 });
    const shared = ['nginx:1.27', 'registry.example/app:2'].flatMap((image) =>
      ['a', 'b'].flatMap((letter) =>
        [true, false].flatMap((allowed) =>
          ['system:node', 'user\0'].map((requester, i) =>
            review(200_000 + i, 3, { image, digest: `sha256:${letter.repeat(64)}`, allowed, requester }),
          ),
        ),
      ),
    );
    // The requesters alone: shapes are made at once as well.
    const named = ['system:node', 'user\0'].map((requester, i) =>
      review(300_000 + i, 1, { image: 'other:1', requester }),
    );
    let atOnce = 0;
    await fc.assert(
      fc.asyncProperty(groups, fc.boolean(), async (given, isWarm) => {
        const [one, other] = [await sqlite.open(t), await sqlite.open(t)];
        const inTurn = await writerOf(one);
        const now = await writerOf(other);
        // What rows share is known from here on, and only what is new now and then waits for the database.
        for (const writer of [inTurn, now]) await writer.appendAll(isWarm ? shared : named);
        for (const group of given) {
          const stored = now.appendNow(group);
          if (stored !== null) atOnce += 1;
          const [got, expected] = [stored ?? (await now.appendAll(group)), await inTurn.appendAll(group)];
          const plain = (all: readonly Stored[]): unknown =>
            all.map(({ rows, repeat }) => ({ rows, repeat }));
          assert.deepEqual(plain(got), plain(expected));
        }
        assert.deepEqual(await contentOf(other), await contentOf(one));
      }),
      { numRuns: runs(25) },
    );
    assert.ok(atOnce > 5, `${atOnce} groups were appended at once`);
  });

  test('is not done where something must be waited for or found out, and nothing is written then', async (t) => {
    const url = await sqlite.migrated();
    const store = await again(t, url);
    const writer = await writerOf(store);
    assert.equal(writer.appendNow([review(1)]), null, 'a requester that was never seen');
    await writer.appendAll([review(1)]);
    assert.equal(writer.appendNow([review(1)]), null, 'a repeat');
    assert.equal(writer.appendNow([review(2), review(2)]), null, 'a repeat in the call');
    const fence = { name: 'x', value: 1 };
    assert.equal(writer.appendNow([{ uid: null, rows: review(3).rows, fence }]), null, 'a fence');
    await store.write(async () => {
      await new Promise(setImmediate);
      assert.throws(() => writer.appendNow([review(2)]), TypeError, 'inside a write');
    });
    const held = store.write(() => new Promise((resolve) => setTimeout(resolve, 20)));
    await new Promise(setImmediate);
    assert.equal(writer.appendNow([review(2)]), null, 'a write of this process');
    await held;
    assert.equal(await sizeOf(store), 1);
    assert.equal(writer.appendNow([review(2)])?.length, 1);

    const another = await again(t, url);
    const theirs = another.write(() => new Promise((resolve) => setTimeout(resolve, 20)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(writer.appendNow([review(3)]), null, 'a write of another process');
    await theirs;
    await ledgerWriter(another).appendAll([review(3), review(4)]);
    assert.equal(writer.appendNow([review(5)]), null, 'rows of another process');
    assert.equal(await sizeOf(store), 4);
    const [repeat, fresh] = await writer.appendAll([review(3), review(5)]);
    assert.deepEqual([repeat?.repeat, repeat?.rows[0]?.id, fresh?.rows[0]?.id], [true, 3, 5]);
    assert.equal(writer.appendNow([review(6)])?.[0]?.rows[0]?.id, 6);
  });

  test('makes a shape that was never seen, and finds one that is there, also after a rollback', async (t) => {
    const url = await sqlite.migrated();
    const store = await again(t, url);
    const writer = await writerOf(store);
    await writer.appendAll([review(1)]);
    await new Promise(setImmediate); // it has ended only then
    const shapes = async (): Promise<number> =>
      (await runText(store.read, 'select id from ledger_shapes', [])).length;
    assert.equal(writer.appendNow([review(2, 1, { image: 'new:1' })])?.[0]?.rows[0]?.image, 'new:1');
    assert.equal(await shapes(), 2);
    const another = await again(t, url);
    const other = await writerOf(another);
    await other.appendAll([review(3, 1, { image: 'theirs:1' })]);
    assert.equal(writer.appendNow([review(4, 1, { image: 'new:2' })]), null, 'rows of another process');
    assert.equal(await shapes(), 3, 'nothing is left of the shape');
    await writer.appendAll([]); // knows the rows of the other from here on
    await new Promise(setImmediate);
    const entries = ['new:2', 'theirs:1', 'new:2'].map((image, i) => review(5 + i, 1, { image }));
    assert.deepEqual(
      writer.appendNow(entries)?.map(({ rows }) => rows[0]?.image),
      ['new:2', 'theirs:1', 'new:2'],
    );
    assert.equal(await shapes(), 4);
    assert.equal(await sizeOf(store), 6);
  });

  test('the times of a span are written once it is full, by whichever append fills it', async (t) => {
    const store = await sqlite.open(t);
    const writer = await writerOf(store);
    const rows = (count: number, at: number): LedgerEntry => ({
      uid: null,
      rows: Array.from({ length: count }, () => newRow({ at })),
    });
    await writer.appendAll([rows(1, AT)]);
    await new Promise(setImmediate); // it has ended only then
    const spans = async (): Promise<unknown> => runText(store.read, 'select * from ledger_spans', []);
    assert.equal(writer.appendNow([rows(SPAN_ROWS - 2, AT + 5)])?.length, 1);
    assert.deepEqual(await spans(), []);
    assert.equal(writer.appendNow([rows(2, AT + 9)])?.length, 1);
    const first = { span: 0, min_at: AT, max_at: AT + 9 };
    assert.deepEqual(await spans(), [first]);
    await writer.appendAll([rows(2 * SPAN_ROWS, AT + 7)]);
    const full = { min_at: AT + 7, max_at: AT + 7 };
    assert.deepEqual(await spans(), [first, { span: 1, ...full, max_at: AT + 9 }, { span: 2, ...full }]);
  });

  test('a statement that the database refuses leaves nothing behind, and the next append goes on', async (t) => {
    const store = await sqlite.open(t);
    const writer = await writerOf(store);
    await writer.appendAll([review(1)]);
    await store.write((transaction) =>
      runText(
        transaction,
        `create trigger refusing before insert on ledger_rows when new.at = ${AT + 9} begin select raise(abort, 'no'); end`,
        [],
      ),
    );
    const before = await contentOf(store);
    const refused: LedgerEntry = review(2, 1, { at: AT + 9 });
    assert.throws(
      () => writer.appendNow([refused]),
      (error) => error instanceof AppendError && error.code === 'invalid_request',
    );
    assert.deepEqual(await contentOf(store), before);
    assert.equal(writer.appendNow([review(3)])?.[0]?.rows[0]?.id, 2);
  });
});

forEachEngine('appending at once or in turn', (engine) => {
  test('rows of both follow each other, whichever was asked for', async (t) => {
    const store = await engine.open(t);
    const writer = await writerOf(store);
    await writer.appendAll([{ uid: null, rows: [newRow({})] }]);
    const waiting = writer.appendAll([review(1)]);
    assert.equal(writer.appendNow([review(2)]), null, 'one that waits comes first');
    await waiting;
    const now = writer.appendNow([review(3)]);
    assert.equal(now === null, engine.name === 'postgres');
    await writer.appendAll([review(4)]);
    assert.equal(await sizeOf(store), now === null ? 3 : 4);
  });
});
