import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '../../src/base/index.ts';
import {
  exportLines,
  hashLeaf,
  leafHash,
  parseVkey,
  readExport,
  verifyDatabase,
  verifyExport,
} from '../../src/ledger/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { ledgerExport } from '../../src/store/ledger/export.ts';
import { importExport } from '../../src/store/ledger/import.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { ledgerTree } from '../../src/store/ledger/tree.ts';
import { acceptClock, recordedTimes } from '../../src/store/ledger/recorded-times.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { entriesFrom, makeSigner, NOW, treeOf } from '../ledger/grown.ts';
import { all, AT, review } from '../ledger/parts.ts';
import { forEachEngine } from './engines.ts';
import { bytesOf } from './made-ledger.ts';

const HOUR = 3_600_000;

/** A checkpoint of this size and time, as far as the times of it go. */
const sign = (store: Store, size: number, at: number): Promise<unknown> =>
  store.write((transaction) =>
    transaction
      .insertInto('checkpoints')
      .values({ size, at, root: Buffer.alloc(32), note: `${size}` })
      .execute(),
  );

/** The lines of an export of all that is in the store, signed as far as its tree is. */
async function exported(store: Store, key: string): Promise<string> {
  const tiles = ledgerTree(store);
  const checkpoint = await tiles.newestCheckpoint();
  assert.ok(checkpoint !== null);
  const request = { at: AT, cluster: null, coldImagePolicy: 'AllowAndScan', from: null, to: null } as const;
  const whole = await ledgerExport(store, { ...request, tree: { checkpoint, key, tiles } });
  let text = '';
  for await (const part of exportLines(whole)) text += part;
  return text;
}

forEachEngine('what the ledger has recorded of time', (engine) => {
  test('is the newest of all rows and checkpoints, and begins again where an operator accepted the clock', async (t) => {
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

  test('verifies in the database and in an export, and where it was imported; a mark that is changed does not', async (t) => {
    const [store, signer] = [await engine.open(t), makeSigner()];
    const options = { keys: [parseVkey(signer.vkey)], kept: [] };
    const marked = entriesFrom(0, 600).map((entry, n) => ({
      ...entry,
      rows: entry.rows.map((row) => (n % 3 === 0 ? { ...row, clock_suspect: true } : row)),
    }));
    await ledgerWriter(store).appendAll(marked);
    await treeOf(store, signer).checkpoint();
    const inDatabase = await verifyDatabase(ledgerTree(store), 'db', options);
    assert.deepEqual([inDatabase.holds, inDatabase.rows.signed], [true, 600]);
    const text = await exported(store, signer.vkey);
    const inExport = await verifyExport(bytesOf(text), 'export', options);
    assert.deepEqual([inExport.holds, inExport.rows.signed], [true, 600]);

    const copy = await engine.open(t);
    await importExport(copy, await readExport(bytesOf(text), 'export', { whole: true }), { at: NOW });
    const marks = async (of: Store) =>
      (await all(ledgerReader(of).oldestFirst({ first: 1, last: 600 }))).map((row) => row.clock_suspect);
    assert.deepEqual(await marks(copy), await marks(store));
    assert.equal((await marks(copy)).filter((mark) => mark === true).length > 100, true);
    await treeOf(copy, signer).checkpoint();
    assert.equal((await verifyDatabase(ledgerTree(copy), 'copy', options)).holds, true);

    const bare = text.replace('"clock_suspect":true,', '').replace(',"clock_suspect":true', '');
    assert.notEqual(bare, text);
    assert.equal((await verifyExport(bytesOf(bare), 'export', options)).holds, false);
    await store.write((transaction) =>
      runText(transaction, 'update ledger_shapes set clock_suspect = 0 where clock_suspect = 1', []),
    );
    assert.equal((await verifyDatabase(ledgerTree(store), 'db', options)).holds, false);
  });
});
