import { collectionStore } from '../../src/store/scans/collected-facts.ts';
import { scanSubjects } from '../../src/store/scans/subjects.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  AppendError,
  recordedRow,
  type LedgerEntry,
  type LedgerRow,
  type NewRow,
} from '../../src/ledger/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { sizeOf } from '../../src/store/ledger/spans.ts';
import { packUid, unpackUid } from '../../src/store/cells/uid.ts';
import { arbitraryLedgerRow } from '../decision/arbitraries.ts';
import { watchStore } from '../ledger/kill-points.ts';
import { all, AT, newRow, numbers, review, uidOf } from '../ledger/parts.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from './engines.ts';

forEachEngine('appending', (engine) => {
  test('rows get numbers from 1 without a gap, in the order of the entries', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const first = await writer.appendAll([review(1, 2), review(2)]);
    const second = await writer.appendAll([review(3, 3)]);
    assert.deepEqual(
      [...first, ...second].map(({ rows }) => numbers(rows)),
      [[1, 2], [3], [4, 5, 6]],
    );
    assert.ok([...first, ...second].every(({ repeat }) => !repeat));
    const rows = await all(ledgerReader(store).oldestFirst({ first: 1, last: 6 }));
    assert.deepEqual(
      rows,
      [...first, ...second].flatMap((stored) => stored.rows),
    );
    assert.deepEqual(
      await all(ledgerReader(store).newestFirst({ first: 2, last: 5 })),
      rows.slice(1, 5).toReversed(),
    );
  });

  test('a review that already exists is left as it is and answered with what is stored', async (t) => {
    const store = await engine.open(t);
    const [stored] = await ledgerWriter(store).appendAll([review(1, 2)]);
    const other = { uid: uidOf(1), rows: [newRow({ allowed: false, reason: 'registry not allowed: x' })] };
    for (const writer of [ledgerWriter(store), ledgerWriter(store)]) {
      const [first, repeat, later] = await writer.appendAll([review(2), other, review(3)]);
      assert.deepEqual(repeat, { rows: stored?.rows, repeat: true });
      assert.deepEqual([numbers(first?.rows ?? []), numbers(later?.rows ?? [])], [[3], [4]]);
    }
    assert.equal(await sizeOf(store), 4);
  });

  test('a review that comes twice in one call is appended once', async (t) => {
    const store = await engine.open(t);
    const [first, second] = await ledgerWriter(store).appendAll([
      review(1, 2),
      review(1, 1, { allowed: false }),
    ]);
    assert.deepEqual([first?.repeat, second?.repeat], [false, true]);
    assert.deepEqual(second?.rows, first?.rows);
    assert.equal(await sizeOf(store), 2);
  });

  test('a review is known again however many rows have come since', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const fill = async (from: number, reviews: number, rows: number): Promise<void> => {
      await writer.appendAll(Array.from({ length: reviews }, (_, i) => review(from + i, rows)));
    };
    await fill(1, 300, 3);
    for (let i = 0; i < 70; i += 1) await fill(10_000 + i, 1, 1000);
    await fill(20_000, 20, 1);
    const size = await sizeOf(store);
    const reader = ledgerReader(store);
    for (let again = 0; again < 2; again += 1) {
      const { items, total } = await reader.list({ namespace: 'shop' }, { limit: 3, offset: size - 32_769 });
      assert.deepEqual([numbers(items), total], [[32_769, 32_768, 32_767], size], 'a page over two slices');
    }
    await writer.follow();
    const kept = await store.read.selectFrom('ledger_uids').select('segment').execute();
    assert.deepEqual(kept, [{ segment: 0 }], 'fingerprints of a full segment are stored');
    const known = [1, 300, 10_000, 10_063, 10_064, 10_065, 10_069, 20_000, 20_019];
    for (const who of ['the same', 'another', 'another without fingerprints']) {
      // A ledger that came in by a migration has none, and gets it.
      if (who.endsWith('without fingerprints'))
        await store.write((transaction) => transaction.deleteFrom('ledger_uids').execute());
      const answers = await (who === 'the same' ? writer : ledgerWriter(store)).appendAll(
        known.map((n) => review(n, 2, { allowed: false })),
      );
      assert.deepEqual(
        answers.map(({ repeat, rows }) => [repeat, rows[0]?.review_uid, rows[0]?.allowed]),
        known.map((n) => [true, uidOf(n), true]),
      );
      assert.equal(answers[2]?.rows.length, 1000);
    }
    assert.equal(await sizeOf(store), size);
    assert.equal((await store.read.selectFrom('ledger_uids').select('segment').execute()).length, 1);
  });

  test('many reviews that come again are read with a few statements, since all replicas wait for the lock meanwhile', async (t) => {
    const store = await engine.open(t);
    const rows = (n: number): number => (n % 3) + 1;
    const reviews = Array.from({ length: 120 }, (_, n) => review(n, rows(n), { requester: `user-${n % 7}` }));
    const first = await ledgerWriter(store).appendAll(reviews);
    let statements = 0;
    const watched = watchStore(store, (point) => void (statements += Number(point === 'after a statement')));
    const writer = ledgerWriter(watched);
    await writer.appendAll([review(1000)]);
    const before = statements;
    const again = await writer.appendAll(reviews);
    assert.ok(before > 0 && statements - before < 20, `${statements - before} statements`);
    assert.deepEqual(
      again.map(({ repeat, rows: own }) => ({ repeat, rows: own })),
      first.map(({ rows: own }) => ({ repeat: true, rows: own })),
    );
    // One that came with fewer rows than it has is given whole all the same.
    const [shorter] = await writer.appendAll([review(2, 1), review(5, 9)]);
    assert.deepEqual(shorter?.rows, first[2]?.rows);
  });

  test('what no review asked for is appended each time', async (t) => {
    const store = await engine.open(t);
    const entry: LedgerEntry = { uid: null, rows: [newRow({ kind: 'reconcile' })] };
    await ledgerWriter(store).appendAll([entry, entry]);
    assert.equal(await sizeOf(store), 2);
  });

  test('an entry that can never be stored takes nothing with it into the ledger', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const broken = { uid: uidOf(2), rows: [newRow({ at: 1.5 })] };
    await assert.rejects(writer.appendAll([review(1), broken]), (error) => {
      return error instanceof AppendError && error.code === 'invalid_request';
    });
    assert.equal(await sizeOf(store), 0);
    const [stored] = await writer.appendAll([review(1)]);
    assert.deepEqual(numbers(stored?.rows ?? []), [1]);
  });

  test('replicas that append at once leave no gap, and a review that all of them got is there once', async (t) => {
    const url = await engine.migrated();
    const stores = await Promise.all([1, 2, 3].map(() => openStore({ url })));
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const answers = await Promise.all(
      stores.flatMap((store, replica) => {
        const writer = ledgerWriter(store);
        return Array.from({ length: 12 }, (_, i) =>
          writer.appendAll([review(i + 1, 2), review(1000 * (replica + 1) + i)]),
        );
      }),
    );
    const [store] = stores;
    assert.ok(store);
    const rows = await all(ledgerReader(store).oldestFirst({ first: 1, last: await sizeOf(store) }));
    assert.deepEqual(
      numbers(rows),
      Array.from({ length: 12 * 2 + 3 * 12 }, (_, i) => i + 1),
    );
    const shared = answers.map(([both]) => both);
    assert.equal(shared.filter((answer) => answer?.repeat === false).length, 12);
    for (const answer of shared) {
      const [row] = answer?.rows ?? [];
      assert.deepEqual(
        answer?.rows,
        rows.filter(({ review_uid }) => review_uid === row?.review_uid),
      );
    }
    const shapes = await store.read.selectFrom('ledger_shapes').select('id').execute();
    assert.equal(shapes.length, 2, 'one for each container');
  });

  test('every row reads back as it was given, whatever its texts', async (t) => {
    const store = await engine.open(t);
    const reader = ledgerReader(store);
    const writer = ledgerWriter(store);
    const text = fc.option(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom('\0', '\ud800', 'é', "'")),
    );
    const rows = arbitraryLedgerRow().chain((row) =>
      fc
        .record({
          pod: text,
          pod_uid: text,
          container: text,
          namespace: text,
          cluster: text,
          label: text,
          requester: text,
          subresource: text,
          break_glass_reason: text,
          at: fc.integer({ min: 0, max: AT }),
        })
        .map((texts): NewRow => {
          const { id: _, time: __, ...rest } = row;
          return { ...rest, ...texts };
        }),
    );
    let next = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(rows, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
        async (reviews) => {
          const size = await reader.size();
          const entries = reviews.map((given) => ({
            uid: next % 3 === 0 ? null : `uid ${next++} é`,
            rows: given,
          }));
          next += 1;
          const stored = await writer.appendAll(entries);
          const expected = entries
            .flatMap(({ uid, rows: given }) => given.map((row) => storable(recordedRow(uid, row, 0))))
            .map((row, i) => ({ ...row, id: size + 1 + i }));
          assert.deepEqual(
            stored.flatMap((answer) => answer.rows),
            expected,
          );
          assert.deepEqual(
            await all(reader.oldestFirst({ first: size + 1, last: await reader.size() })),
            expected,
          );
          assert.deepEqual(await reader.row(size + 1), expected[0]);
        },
      ),
      { numRuns: runs(30) },
    );
  });

  test('an image knows its newest review, its names and when it was first seen', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const digest = `sha256:${'b'.repeat(64)}`;
    const at = (n: number, more: Partial<NewRow>): LedgerEntry =>
      review(n, 1, { at: AT + n, digest, ...more });
    await writer.appendAll([
      at(1, { image: 'nginx:1.27' }),
      at(2, { image: `nginx@${digest}`, digest: null, allowed: false }),
      at(3, { image: 'not a reference', kind: 'reconcile', allowed: true }),
    ]);
    const image = store.read.selectFrom('images').selectAll().where('digest', '=', digest);
    const seen = {
      digest,
      source: null,
      first_seen_at: AT + 1,
      facts_version: 0,
      facts: null,
      platforms: null,
      missing: 0,
    };
    assert.deepEqual(await image.executeTakeFirst(), { ...seen, last_row_id: 2, last_allowed: 0 });
    await writer.appendAll([
      at(4, { at: AT + 61_000, image: 'nginx:1.27' }),
      at(5, { at: AT + 61_001, image: 'nginx:1.27' }),
    ]);
    assert.deepEqual(await image.executeTakeFirst(), { ...seen, last_row_id: 5, last_allowed: 1 });
    const names = await store.read
      .selectFrom('image_names')
      .select(['name', 'last_seen_at'])
      .orderBy('name')
      .execute();
    assert.deepEqual(names, [
      { name: 'docker.io/library/nginx', last_seen_at: AT + 2 },
      { name: 'docker.io/library/nginx:1.27', last_seen_at: AT + 61_001 },
    ]);
  });

  test('a name of pods that were denied for their registry is not where scans and proofs are looked for', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const digest = `sha256:${'c'.repeat(64)}`;
    const evil = { digest, image: `evil.internal:8443/x/y@${digest}` };
    const denied = { ...evil, allowed: false, label: 'registry' } as const;
    const asked = async () => [
      await scanSubjects(store).namesOf(digest),
      await collectionStore(store).enrol(AT + 1, AT - 1, 10),
    ];
    await writer.appendAll([review(1, 1, { at: AT, ...denied })]);
    assert.deepEqual(await asked(), [[], 0]);
    const names = await store.read.selectFrom('image_names').select('name').execute();
    assert.deepEqual(names, [{ name: 'evil.internal:8443/x/y' }], 'people see it all the same');
    // One namespace allows it, or it runs.
    await writer.appendAll([
      review(2, 1, { at: AT, ...evil, allowed: true }),
      review(3, 1, { at: AT, ...denied }),
    ]);
    assert.deepEqual(await asked(), [['evil.internal:8443/x/y'], 1]);
    await writer.appendAll([review(4, 1, { at: AT + 120_000, ...denied })]);
    assert.deepEqual(await scanSubjects(store).namesOf(digest), ['evil.internal:8443/x/y']);
  });
});

test('uids are packed so that no two are one', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.uuid(), fc.string({ minLength: 14, maxLength: 17 }), fc.string({ unit: 'grapheme' })),
      (uid) => {
        if (uid.includes('\0') || !uid.isWellFormed()) return;
        assert.equal(unpackUid(packUid(uid)), uid);
      },
    ),
    { numRuns: runs(500) },
  );
  assert.equal(packUid(uidOf(1)).length, 16);
});

function storable<T extends Omit<LedgerRow, 'id'>>(row: T): T {
  return JSON.parse(JSON.stringify(row), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\u{FFFD}') : value,
  ) as T;
}
