import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { DAY_MS, formatTime, parseTime } from '../../src/base/index.ts';
import { readExport, verifyExport, type LedgerRow } from '../../src/ledger/index.ts';
import { importExport } from '../../src/store/ledger/import.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { replaySource } from '../../src/store/replay/source.ts';
import { RowPile } from '../../src/store/cells/row-pile.ts';
import { TimeText } from '../../src/store/sql/time-text.ts';
import { runSelfCheck, runWhatIf, sourceOf } from '../../src/whatif/index.ts';
import { NOW } from '../decision/arbitraries.ts';
import { all, AT, numbers, review } from '../ledger/parts.ts';
import { runs } from '../runs.ts';
import { policy } from '../whatif/ledger-text.ts';
import { forEachEngine } from './engines.ts';
import { arbitraryMade, bytesOf, empty, exported, fill, openWhole, SIGNER, treeOf } from './made-ledger.ts';

const SHOP = gunzipSync(
  readFileSync(join(resolve(import.meta.dirname, '../..'), 'fixtures/ledger/shop.ndjson.gz')),
).toString('utf8');

async function rowsOf(text: string): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for await (const batch of (await openWhole(text)).rows())
    rows.push(...batch.shapes.map(({ ...row }) => (delete (row as { type?: string }).type, row)));
  return rows;
}

forEachEngine('exports of a store', (engine) => {
  test('an export holds the rows of its period as they are stored, and verifies against its own tree', async (t) => {
    const store = await engine.open(t);
    const reader = ledgerReader(store);
    for (const made of fc.sample(arbitraryMade, { numRuns: runs(25), seed: 7 })) {
      await empty(store);
      await fill(store, made);
      const tree = await treeOf(store);
      const size = await reader.size();
      for (const [from, to] of [
        [null, null],
        [NOW - 20 * DAY_MS, null],
        [NOW - 30 * DAY_MS, NOW - 10 * DAY_MS],
        [NOW + 1, null],
      ] as const) {
        const text = await exported(store, { from, to, tree });
        const rows = await rowsOf(text);
        const range = await reader.rangeOf(from, to);
        assert.deepEqual(rows, await all(reader.newestFirst(range)));
        assert.equal(rows.length, made.rows.filter(({ time }) => inside(parseTime(time), from, to)).length);
        assert.equal(text, await exported(store, { from, to, tree }), 'the same bytes again');
        if (size === 0) continue;
        const result = await verifyExport(bytesOf(text), 'x', { keys: [SIGNER], kept: [] });
        assert.ok(result.holds, JSON.stringify(result));
      }
    }
  });

  test('an export with a tree ends with the rows that the checkpoint covers', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    await writer.appendAll([review(1, 3)]);
    const tree = await treeOf(store);
    await writer.appendAll([review(2, 2)]);
    assert.deepEqual(numbers(await rowsOf(await exported(store, { tree }))), [3, 2, 1]);
    assert.deepEqual(numbers(await rowsOf(await exported(store))), [5, 4, 3, 2, 1]);
    const none = await exported(store, { tree, from: AT + 2 });
    assert.deepEqual(await rowsOf(none), []);
    assert.ok((await verifyExport(bytesOf(none), 'x', { keys: [SIGNER], kept: [] })).holds);
  });

  test('an export of the shop comes in and goes out again as it was, and is replayed the same', async (t) => {
    const store = await engine.open(t);
    const source = await openWhole(SHOP);
    const { rows, images, policies } = await importExport(store, source, { at: NOW });
    const given = await rowsOf(SHOP);
    assert.deepEqual([rows, images, policies], [given.length, source.images.size, source.policies.length]);
    const { exportedAt: at, cluster, coldImagePolicy } = source.header;
    const text = await exported(store, { at, cluster, coldImagePolicy });
    const again = await openWhole(text);
    const oldest = given.at(-1)?.id ?? 0;
    assert.deepEqual(
      await rowsOf(text),
      given.map((row) => ({ ...row, id: row.id - oldest + 1 })),
    );
    assert.deepEqual(
      [...again.images.values()],
      [...source.images.values()].filter(({ digest }) => again.images.has(digest ?? '')),
    );
    const named = new Set(given.map(({ policy_revision }) => policy_revision));
    const shown = (list: typeof source.policies): string[] =>
      list
        .filter(({ revision, current }) => current || named.has(revision))
        .map((entry) => JSON.stringify(entry))
        .toSorted();
    assert.deepEqual(
      shown(
        again.policies.map(({ name, revision, current, document }) => ({
          name,
          revision,
          current,
          document,
        })),
      ),
      shown(source.policies),
    );

    const draft = policy(
      { enforcement: 'Enforce', severityThreshold: 'HIGH', denyLatestTag: true },
      'cluster-baseline',
    );
    const request = { draft, asOf: at, days: 90, limit: 0, source: null };
    const stored = await replaySource(store, { coldImagePolicy });
    const original = sourceOf(await readExport(bytesOf(SHOP), 'shop'));
    const strip = (result: object): string => JSON.stringify({ ...result, samples: [], inputs_digest: '' });
    assert.equal(strip(await runWhatIf(request, stored)), strip(await runWhatIf(request, original)));
    const check = await runSelfCheck(request, stored);
    assert.equal(check.mismatch, 0);
    assert.deepEqual(check, await runSelfCheck(request, sourceOf(await readExport(bytesOf(text), 'shop'))));
    await assert.rejects(importExport(store, await openWhole(SHOP), { at: NOW }), { code: 'conflict' });
  });

  test('an import can move every time, so that an old ledger ends now', async (t) => {
    const store = await engine.open(t);
    const shift = 7 * DAY_MS;
    await importExport(store, await openWhole(SHOP), { at: NOW, shift });
    const given = await rowsOf(SHOP);
    const [newest] = await all(ledgerReader(store).newestFirst({ first: given.length, last: given.length }));
    assert.equal(newest?.time, formatTime(parseTime(given[0]?.time ?? '') + shift));
    const { images } = await openWhole(await exported(store));
    const before = (await openWhole(SHOP)).images;
    for (const [digest, { scan }] of images) {
      const was = before.get(digest)?.scan ?? null;
      if (scan?.scannedAt) assert.equal(parseTime(scan.scannedAt), parseTime(was?.scannedAt ?? '') + shift);
    }
  });

  test('a damaged export leaves no row behind', async (t) => {
    const store = await engine.open(t);
    const lines = SHOP.split('\n');
    lines[lines.length - 20] = '{"type":"row"';
    await assert.rejects(importExport(store, await openWhole(lines.join('\n')), { at: NOW }), {
      code: 'damaged',
    });
    assert.equal(await ledgerReader(store).size(), 0);
  });
});

test('a pile gives back what was put on it, the newest first, also from the disk', async () => {
  const pile = new RowPile<string>();
  const batches = Array.from({ length: 50 }, (_, i) => [`${i} é`, 'x'.repeat(1_000_000)]);
  for (const batch of batches) await pile.put(batch);
  const back: string[][] = [];
  for await (const batch of pile.take()) back.push(batch);
  await pile.close();
  assert.deepEqual(back, batches.toReversed());
});

test('times are written as everywhere else', () => {
  const text = new TimeText();
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 253_402_300_700_000 }), fc.nat({ max: 90_000 }), (at, more) => {
      for (const ms of [at, at + more, Math.floor(at / 1000) * 1000])
        assert.equal(text.of(ms), formatTime(ms));
    }),
    { numRuns: runs(500) },
  );
});

function inside(at: number, from: number | null, to: number | null): boolean {
  return at >= (from ?? -Infinity) && at <= (to ?? Infinity);
}
