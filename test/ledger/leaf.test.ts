import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../src/base/index.ts';
import { exportLines, type LedgerRow } from '../../src/ledger/index.ts';
import { leafText, leafTextOf, toLeafShape } from '../../src/ledger/leaf.ts';
import { runs } from '../runs.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    'web-0',
    '"',
    '\\',
    '\u2028',
    '\u007f',
    '\ud800',
    'ünï',
    '\u0000',
    '</script>',
    '\u{1f600}',
  ),
);
const nullable = fc.option(text);
const flag = fc.boolean();

const rows = fc.record(
  {
    id: fc.maxSafeNat(),
    kind: nullable,
    time: fc.constantFrom('2026-11-20T06:00:00Z', '2026-11-20T06:00:00.123Z'),
    review_uid: nullable,
    cluster: nullable,
    namespace: nullable,
    pod: nullable,
    pod_uid: nullable,
    container: nullable,
    image: nullable,
    digest: nullable,
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
  },
  { requiredKeys: ['id', 'time', 'allowed', 'reason'] },
) as fc.Arbitrary<LedgerRow>;

/** What an auditor does with the export: take the row's line, drop `type`, canonicalise. */
async function leafOfExport(row: LedgerRow): Promise<string> {
  const header = {
    exportedAt: 0,
    cluster: null,
    coldImagePolicy: 'AllowAndScan',
    rows: 1,
    images: 0,
    from: null,
    to: null,
  } as const;
  let text = '';
  for await (const block of exportLines({ header, policies: [], images: [], rows: [[row]] })) text += block;
  const line = text.split('\n')[1] ?? '';
  const { type, ...value } = JSON.parse(line) as Record<string, unknown>;
  assert.equal(type, 'row');
  return canonicalJson(value);
}

test('a leaf is the canonical form of the line that an export writes for the row', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (row) => assert.equal(leafText(row), await leafOfExport(row))),
    { numRuns: runs(500) },
  );
});

test('rows of one shape share everything but what is their own', () => {
  fc.assert(
    fc.property(rows, rows, (row, other) => {
      const { id, time, pod, pod_uid, requester, review_uid } = other;
      const own = {
        id,
        time,
        pod: pod ?? null,
        pod_uid: pod_uid ?? null,
        requester: requester ?? null,
        review_uid: review_uid ?? null,
      };
      assert.equal(leafTextOf(toLeafShape(row), own), leafText({ ...row, ...own }));
    }),
    { numRuns: runs(200) },
  );
});
