import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../src/base/index.ts';
import { exportLines, hashLeaf, type Hash, type LedgerRow, type NewRow } from '../../src/ledger/index.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { LeafReader } from '../../src/store/ledger/leaves.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from './engines.ts';

/** Texts that an encoder gets wrong: escapes, controls, half surrogates, and lengths at which buffers and packed uids change. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    ...['', '"', '\\', '\u0000', '\u001f', '\u007f', '\u0080', '\u2028', 'ünï', '\u{1f600}', '</script>'],
    ...['\ud800', '\udc00x', 'a\ud800\u0000"\\', 'x'.repeat(16), `\0${'x'.repeat(15)}`, 'ü'.repeat(8)],
    ...['x'.repeat(4096), `${'x'.repeat(5000)}\u2028`, '00000000-0000-4000-8000-00000000000A'],
  ),
);
const uid = fc.oneof(fc.uuid(), text);
const nullable = fc.option(text);
const flag = fc.boolean();
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** A row with any of its fields absent, null or hostile. */
const row = fc.record(
  {
    at: fc.oneof(
      fc.constantFrom(0, 1, 999, 1000, 59_999, 60_000, LAST - 1, LAST),
      fc.integer({ min: 0, max: LAST }),
    ),
    kind: nullable,
    cluster: nullable,
    namespace: nullable,
    pod: nullable,
    pod_uid: fc.option(uid),
    container: nullable,
    image: nullable,
    digest: fc.option(fc.constant(`sha256:${'0a'.repeat(32)}`)),
    allowed: flag,
    review_allowed: fc.option(flag),
    reason: text,
    label: nullable,
    policy: nullable,
    policy_revision: nullable,
    break_glass: fc.option(flag),
    break_glass_reason: nullable,
    signals: fc.option(fc.array(text, { maxLength: 3 })),
    exposed_by: nullable,
    subresource: nullable,
    requester: nullable,
    pod_level: fc.option(flag),
    inputs: nullable,
    platform: nullable,
    clock_suspect: fc.option(flag),
  },
  { requiredKeys: ['at', 'allowed', 'reason'] },
) as fc.Arbitrary<NewRow>;

/** What an auditor does with an export: take each line of a row, drop `type`, canonicalise, hash. */
async function audited(rows: readonly LedgerRow[]): Promise<Hash[]> {
  const header = { exportedAt: 0, cluster: null, coldImagePolicy: 'AllowAndScan' } as const;
  const counts = { rows: rows.length, images: 0, from: null, to: null };
  let lines = '';
  const parts = { header: { ...header, ...counts }, policies: [], images: [], rows: [rows] };
  for await (const block of exportLines(parts)) lines += block;
  return lines
    .split('\n')
    .filter((line) => line.startsWith('{"type":"row"'))
    .map((line) => {
      const { type: _, ...value } = JSON.parse(line) as Record<string, unknown>;
      return hashLeaf(canonicalJson(value));
    });
}

forEachEngine('leaves of a database', (engine) => {
  test('are byte for byte those of the lines that an export writes, whatever stands in the rows', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const rows = ledgerReader(store);
    // One reader for all of them, so that what it remembers of rows before is what others are made of.
    const leaves = new LeafReader(store.read);
    await fc.assert(
      fc.asyncProperty(
        fc.option(uid),
        fc.array(row, { minLength: 1, maxLength: 4 }),
        async (review, made) => {
          const from = await rows.size();
          await writer.appendAll([{ uid: review, rows: made }]);
          const read: LedgerRow[] = [];
          for await (const batch of rows.oldestFirst({ first: from + 1, last: await rows.size() }))
            read.push(...batch);
          const got = await leaves.leaves(from, 100);
          assert.deepEqual(
            got.map(({ id }) => id),
            read.map(({ id }) => id),
          );
          assert.deepEqual(
            got.map(({ hash }) => hash),
            await audited(read),
          );
          // Shapes and names read afresh give the same.
          assert.deepEqual(await new LeafReader(store.read).leaves(from, 100), got);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
