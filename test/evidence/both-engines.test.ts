import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { DAY_MS, formatTime } from '../../src/base/index.ts';
import { recompute, verifyPackage } from '../../src/evidence/index.ts';
import { recordDetector } from '../../src/store/history/index.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { run } from '../../src/store/sql/run.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { NOW } from '../decision/arbitraries.ts';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { digestOf, finding, scanOf } from '../store/image-records.ts';
import { arbitraryMade, fill, type Made } from '../store/made-ledger.ts';
import { openBytesPackage } from './open-bytes.ts';
import { packageOfStore } from './of-store.ts';

const FROM = NOW - 90 * DAY_MS;

/** What a service knows beside its ledger. */
const besides = fc.record({
  scans: fc.array(
    fc.record({
      image: fc.integer({ min: 1, max: 4 }),
      at: fc.integer({ min: FROM, max: NOW - DAY_MS }),
      cves: fc.uniqueArray(fc.integer({ min: 1, max: 5 })),
      severity: fc.constantFrom('CRITICAL', 'HIGH', 'LOW'),
      fixed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  triage: fc.array(
    fc.record({
      image: fc.integer({ min: 1, max: 4 }),
      at: fc.integer({ min: FROM, max: NOW }),
      days: fc.integer({ min: 1, max: 200 }),
    }),
    { maxLength: 4 },
  ),
  mutes: fc.array(fc.integer({ min: FROM - DAY_MS, max: NOW }), { maxLength: 3 }),
  detector: fc.array(fc.integer({ min: FROM, max: NOW }), { maxLength: 5 }),
  // Texts that engines sort or cut in ways of their own.
  text: fc.constantFrom('plain', 'Ünïcödé ẞ', '=1+1', 'two\nlines', 'İi', '\u{1F600}'),
});
type Besides = typeof besides extends fc.Arbitrary<infer T> ? T : never;

async function fillAll(store: Store, made: Made, extra: Besides): Promise<void> {
  await fill(store, made);
  for (const { image, at, cves, severity, fixed } of extra.scans.toSorted((a, b) => a.at - b.at)) {
    const found = cves.map((n) => finding(`CVE-2026-${n}`, severity, { fixed: fixed ? '2' : null }));
    const scan = { ...scanOf(found), scannedAt: formatTime(at) };
    await store.write((transaction) =>
      recordScan(transaction, {
        ...{ digest: digestOf(image), names: [`ghcr.io/acme/${image}:1`], source: null },
        ...{ scan, at },
      }),
    );
  }
  await store.write(async (transaction) => {
    for (const { image, at, days } of extra.triage)
      await run(
        transaction,
        sql`insert into triage (digest, cve, reason, triaged_by, account_id, severity, created_at, "until")
          values (${digestOf(image)}, 'CVE-2026-1', ${extra.text}, 'Ann', 'abcdefghijklmnop', 'LOW', ${at}, ${at + days * DAY_MS})`,
      );
    for (const at of extra.mutes)
      await run(
        transaction,
        sql`insert into channel_mutes (channel_id, muted_at, until, reason, muted_by) values ('c', ${at}, ${at + DAY_MS}, ${extra.text}, 'user:a')`,
      );
    for (const [n, at] of extra.mutes.entries())
      await run(
        transaction,
        sql`insert into declarations (id, statement, declared_by, declared_at, valid_until) values (${`d${n}`}, ${extra.text}, 'user:a', ${at}, null)`,
      );
  });
  for (const at of extra.detector)
    await recordDetector(store, { cluster: 'shop-eu', at, events: 1, heartbeats: 1 });
}

const packages = new Map<number, Map<string, Buffer>>();

forEachEngine('evidence packages of random services', (engine) => {
  test('verify, follow from their rows, and are the same twice', async (t) => {
    const { from, until } = turns(5, 50);
    for (let seed = from; seed < until; seed += 1) {
      const [made] = fc.sample(
        arbitraryMade.filter(({ rows }) => rows.length > 0),
        { seed, numRuns: 1 },
      );
      const [extra] = fc.sample(besides, { seed, numRuns: 1 });
      assert.ok(made !== undefined && extra !== undefined);
      const store = await engine.open(t);
      await fillAll(store, made, extra);
      const period = { from: FROM, to: NOW, now: NOW + DAY_MS };
      const bytes = await packageOfStore(store, period);
      assert.ok((await packageOfStore(store, period)).equals(bytes), `seed ${seed}`);
      const pkg = await openBytesPackage(bytes);
      assert.deepEqual((await recompute(pkg, '0.0.0')).differences, [], `seed ${seed}`);
      const { holds, checks } = await verifyPackage(pkg, { keys: [], ledgerKeys: [], kept: [] });
      assert.ok(holds, `seed ${seed}: ${JSON.stringify(checks)}`);
      packages.set(seed, (packages.get(seed) ?? new Map()).set(engine.name, bytes));
    }
    counted(t, { ledgers: until - from });
  });
});

test('both engines give the same bytes', (t) => {
  const both = [...packages].filter(([, of]) => of.size === 2);
  if (both.length === 0) return t.skip('one engine only');
  for (const [seed, of] of both) {
    const [a, b] = [...of.values()];
    assert.ok(a !== undefined && b !== undefined && a.equals(b), `seed ${seed}`);
  }
});
