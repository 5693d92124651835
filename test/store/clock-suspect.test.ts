import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '../../src/base/index.ts';
import { exportLines, hashLeaf, leafHash } from '../../src/ledger/index.ts';
import { ledgerWriter } from '../../src/store/ledger-append.ts';
import { ledgerExport } from '../../src/store/ledger-export.ts';
import { ledgerReader } from '../../src/store/ledger-rows.ts';
import { ledgerTree } from '../../src/store/ledger-tree.ts';
import { acceptClock, recordedTimes } from '../../src/store/recorded-times.ts';
import type { Store } from '../../src/store/store.ts';
import { AT, review } from '../ledger/parts.ts';
import { forEachEngine } from './engines.ts';

const HOUR = 3_600_000;

/** A checkpoint of this size and time, as far as the times of it go. */
const sign = (store: Store, size: number, at: number): Promise<unknown> =>
  store.write((transaction) =>
    transaction
      .insertInto('checkpoints')
      .values({ size, at, root: Buffer.alloc(32), note: `${size}` })
      .execute(),
  );

forEachEngine('what the ledger has recorded of time', (engine) => {
  test('is the newest of all rows and checkpoints, and begins anew where an operator accepted the clock', async (t) => {
    const store = await engine.open(t);
    const times = recordedTimes(store);
    assert.equal(await times.newest(), null);
    const writer = ledgerWriter(store);
    await writer.appendAll([review(1, 1, { at: AT + HOUR }), review(2, 1, { at: AT })]);
    assert.deepEqual(await times.newest(), { at: AT + HOUR, by: 'row' });
    await sign(store, 2, AT + 2 * HOUR);
    assert.deepEqual(await times.newest(), { at: AT + 2 * HOUR, by: 'checkpoint' });
    assert.equal(await times.acceptedSize(), 0);

    assert.equal(await acceptClock(store), 2);
    assert.deepEqual([await times.acceptedSize(), await times.newest()], [2, null]);
    await writer.appendAll([review(3, 1, { at: AT + 5 })]);
    assert.deepEqual(await times.newest(), { at: AT + 5, by: 'row' });
    await sign(store, 3, AT + 6);
    assert.deepEqual(await times.newest(), { at: AT + 6, by: 'checkpoint' });
    // Beyond the span in which it was accepted the times of whole spans count.
    await writer.appendAll(Array.from({ length: 5 }, (_, n) => review(10 + n, 1000, { at: AT + 10 + n })));
    assert.deepEqual(await times.newest(), { at: AT + 14, by: 'row' });
  });

  test('a marked row is kept, hashed, listed and exported with its mark, and one without as before', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const [first, second] = await writer.appendAll([review(1), review(2, 1, { clock_suspect: true })]);
    assert.deepEqual([first?.rows[0]?.clock_suspect, second?.rows[0]?.clock_suspect], [undefined, true]);
    const [again] = await writer.appendAll([review(2)]);
    assert.deepEqual([again?.repeat, again?.rows[0]?.clock_suspect], [true, true]);
    const reader = ledgerReader(store);
    const [plain, marked] = [await reader.row(1), await reader.row(2)];
    assert.ok(plain !== null && marked !== null);
    assert.equal('clock_suspect' in plain, false);
    assert.equal(marked.clock_suspect, true);
    const leaves = await ledgerTree(store).leaves(0, 10);
    assert.deepEqual(
      leaves.map(({ hash }) => hash),
      [plain, marked].map((row) => hashLeaf(canonicalJson(row))),
    );
    assert.deepEqual(
      leaves.map(({ hash }) => hash),
      [leafHash(plain), leafHash(marked)],
    );
    const request = {
      at: AT,
      cluster: null,
      coldImagePolicy: 'AllowAndScan',
      from: null,
      to: null,
      tree: null,
    } as const;
    let text = '';
    for await (const part of exportLines(await ledgerExport(store, request))) text += part;
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      rows.filter(({ type }) => type === 'row').map((row) => row['clock_suspect']),
      [true, undefined],
    );
  });
});
