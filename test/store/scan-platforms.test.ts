import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '../../src/base/index.ts';
import { factsDigest, factsOn } from '../../src/facts/index.ts';
import { missingPlatforms, scanOn, type Finding } from '../../src/findings/index.ts';
import type { NewScan } from '../../src/scan/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { importFacts } from '../../src/store/scans/import-facts.ts';
import { seePlatforms, wantedPlatforms } from '../../src/store/facts/node-platforms.ts';
import { rescanStore } from '../../src/store/scans/rescans.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { settlePlatforms } from '../../src/store/scans/settle-platforms.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { readCritical } from '../../src/store/tracking/critical.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, finding, rowsOf, scanOf } from './image-records.ts';

const HOUR = 3_600_000;
const [AMD, ARM, S390] = ['linux/amd64', 'linux/arm64', 'linux/s390x'];
const ENTRIES = [
  { platform: AMD, digest: digestOf(101) },
  { platform: ARM, digest: digestOf(102) },
];
const D = digestOf(1);
const { signal } = new AbortController();

const both = finding('CVE-BOTH', 'HIGH', { fixed: '1.1' });
const onAmd = finding('CVE-AMD', 'CRITICAL');
const onArm = finding('CVE-ARM', 'CRITICAL');

async function record(
  store: Store,
  platform: string | null,
  found: readonly Finding[],
  more: Partial<NewScan> = {},
) {
  const at = more.at ?? AT;
  return store.write((transaction) =>
    recordScan(transaction, {
      ...{ digest: D, names: ['ghcr.io/acme/web:1'], source: null, platform, entries: ENTRIES },
      scan: scanOf(found, { scannedAt: formatTime(at) }),
      ...{ ...more, at },
    }),
  );
}

const cvesOf = (scan: { readonly findings: readonly Finding[] | null } | null | undefined): string[] =>
  [...new Set(scan?.findings?.map(({ cve }) => cve))].toSorted();
const scanIn = async (store: Store) => {
  const facts = await readFacts(store.read, D);
  assert.ok(facts?.scan);
  return facts.scan;
};
const totals = (store: Store) =>
  rowsOf(store, 'select cve, images, critical, high, fixable from cve_totals order by cve');

forEachEngine('scans of platforms', (engine) => {
  test('a scan whose database is dated in the future keeps no later one out', async (t) => {
    const store = await engine.open(t);
    const scan = (dbUpdatedAt: string, at: number, found: readonly Finding[]): Promise<unknown> =>
      record(store, AMD, found, {
        at,
        scan: scanOf(found, {
          scannedAt: formatTime(at),
          scanner: { name: 'grype', version: '1', dbUpdatedAt },
        }),
      });
    await scan('2099-01-01T00:00:00Z', AT, []);
    await scan(formatTime(AT + HOUR), AT + 2 * HOUR, [onAmd]);
    assert.deepEqual(cvesOf(await scanIn(store)), ['CVE-AMD']);
  });

  test('each platform of the nodes is scanned for itself, and the digest is as bad as the worst of them', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', [AMD, ARM], AMD, AT);
    await record(store, AMD, [both, onAmd]);
    assert.deepEqual(missingPlatforms(await scanIn(store)), [ARM], 'one is not all of it');
    await record(store, ARM, [both, onArm], { at: AT + HOUR });
    const scan = await scanIn(store);
    assert.deepEqual(missingPlatforms(scan), []);
    assert.deepEqual(cvesOf(scan), ['CVE-AMD', 'CVE-ARM', 'CVE-BOTH']);
    assert.equal(scan.findings?.length, 3, 'what both have stands once');
    assert.equal(scan.scannedAt, formatTime(AT), 'as old as the older');
    assert.deepEqual(
      scan.platforms?.map(({ platform, digest, scanned, scannedAt }) => [
        platform,
        digest,
        scanned,
        scannedAt,
      ]),
      [
        [AMD, digestOf(101), true, formatTime(AT)],
        [ARM, digestOf(102), true, formatTime(AT + HOUR)],
      ],
    );
    assert.deepEqual(cvesOf(scanOn(scan, AMD)), ['CVE-AMD', 'CVE-BOTH']);
    assert.deepEqual(cvesOf(scanOn(scan, 'linux/arm64/v8')), ['CVE-ARM', 'CVE-BOTH']);
    assert.deepEqual(cvesOf(scanOn(scan, S390)), cvesOf(scan), 'what nobody scanned is as bad as the worst');
    assert.deepEqual(
      (await totals(store)).map(({ cve, images }) => [cve, images]),
      [
        ['CVE-AMD', 1],
        ['CVE-ARM', 1],
        ['CVE-BOTH', 1],
      ],
    );
    const { candidates } = await readCritical(store.read, null, AT);
    assert.deepEqual(
      candidates.map(({ cve }) => cve),
      ['CVE-AMD', 'CVE-ARM'],
      'trackers file those of both',
    );
  });

  test('a rescan of one platform lets the findings of another stand, and ends those of its own', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', [AMD, ARM], AMD, AT);
    await record(store, AMD, [both, onAmd]);
    await record(store, ARM, [both, onArm]);
    const { outcome, replaced } = await record(store, AMD, [], { at: AT + HOUR });
    assert.deepEqual([outcome, replaced], ['current', true]);
    assert.deepEqual(cvesOf(await scanIn(store)), ['CVE-ARM', 'CVE-BOTH']);
    await record(store, ARM, [both], { at: AT + HOUR });
    assert.deepEqual(cvesOf(await scanIn(store)), ['CVE-BOTH']);
    assert.deepEqual(await totals(store), [{ cve: 'CVE-BOTH', images: 1, critical: 0, high: 1, fixable: 1 }]);
    assert.equal(
      (await record(store, ARM, [], { at: AT })).outcome,
      'older',
      'than that of its own platform',
    );
    assert.equal((await rowsOf(store, 'select id from scans where current = 1')).length, 1);
  });

  test('what differs between platforms counts as each of them has it, and as often as the one that has it most', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', [AMD, ARM], AMD, AT);
    const fixedLow = finding('CVE-1', 'LOW', { fixed: '2' });
    await record(store, AMD, [both, both, fixedLow]);
    await record(store, ARM, [both, finding('CVE-1', 'CRITICAL')]);
    const scan = await scanIn(store);
    assert.deepEqual(
      scan.findings?.map(({ cve, severity, fixed, platforms }) => [cve, severity, fixed, platforms ?? null]),
      [
        ['CVE-BOTH', 'HIGH', '1.1', null],
        ['CVE-BOTH', 'HIGH', '1.1', [AMD]],
        ['CVE-1', 'LOW', '2', [AMD]],
        ['CVE-1', 'CRITICAL', null, [ARM]],
      ],
    );
    assert.deepEqual(
      scanOn(scan, ARM).findings?.map(({ severity }) => severity),
      ['HIGH', 'CRITICAL'],
    );
    await record(store, AMD, [both], { at: AT + HOUR });
    assert.equal((await scanIn(store)).findings?.length, 2);
  });

  test('nodes of a new platform make its scan missing where the index has such an image, and nowhere else', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', [AMD], AMD, AT);
    await record(store, AMD, [both]);
    await store.write((transaction) =>
      recordScan(transaction, {
        ...{ digest: digestOf(2), names: ['ghcr.io/acme/plain:1'], source: null, entries: null, at: AT },
        scan: scanOf([]),
      }),
    );
    await settlePlatforms(store, AT, 0, signal);
    const before = await readFacts(store.read, D);
    assert.ok(before);
    assert.equal(await seePlatforms(store, 'west', [S390], AMD, AT), true);
    assert.deepEqual(
      (await settlePlatforms(store, AT, 0, signal))?.unscanned,
      [],
      'no index has an image for it',
    );
    const after = await readFacts(store.read, D);
    assert.equal(after && factsDigest(after), factsDigest(before));
    assert.equal(await seePlatforms(store, 'east', [AMD, ARM], AMD, AT), true);
    assert.deepEqual((await settlePlatforms(store, AT, 0, signal))?.unscanned, [D]);
    assert.equal(await settlePlatforms(store, AT, 0, signal), null, 'once');
    assert.deepEqual(missingPlatforms(await scanIn(store)), [ARM]);
    const due = { databaseAt: 0, scanner: 'trivy', scannedBefore: 0, usedSince: 0, limit: 10 };
    assert.deepEqual(await rescanStore(store).due(due), [D], 'it is asked for until it is there');
    await record(store, ARM, [onArm]);
    assert.deepEqual(await rescanStore(store).due(due), []);
    // The last one is a while gone.
    await seePlatforms(store, 'east', [AMD], AMD, AT + 2 * HOUR);
    assert.deepEqual(await wantedPlatforms(store.read), [AMD, ARM, S390], 'scaled to none for an hour');
    await seePlatforms(store, 'east', [AMD], AMD, AT + 48 * HOUR);
    assert.deepEqual(await wantedPlatforms(store.read), [AMD, S390]);
    await settlePlatforms(store, AT, 0, signal);
    assert.deepEqual(cvesOf(await scanIn(store)), ['CVE-BOTH']);
    assert.deepEqual(
      (await totals(store)).map(({ cve }) => cve),
      ['CVE-BOTH'],
    );
  });

  test('a report that says its platform counts only for that; one that says none only for what has one platform', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', [AMD, ARM], AMD, AT);
    await record(store, AMD, [onAmd]);
    const told = { entries: undefined, at: AT + HOUR };
    assert.equal((await record(store, null, [], told)).outcome, 'other_platform', 'of which of the two?');
    assert.equal((await record(store, S390, [], told)).outcome, 'other_platform');
    assert.deepEqual(cvesOf(await scanIn(store)), ['CVE-AMD']);
    assert.equal((await record(store, ARM, [], told)).outcome, 'current');
    assert.deepEqual(missingPlatforms(await scanIn(store)), []);
    assert.deepEqual(cvesOf(await scanIn(store)), ['CVE-AMD']);
  });

  test('a scan of a whole digest stands until each platform has been scanned', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', [AMD, ARM], AMD, AT);
    await record(store, null, [onArm], { entries: undefined });
    assert.equal((await scanIn(store)).platforms ?? null, null);
    await record(store, AMD, [], { at: AT + HOUR });
    assert.deepEqual(cvesOf(await scanIn(store)), ['CVE-ARM'], 'nobody says on which it was found');
    await record(store, ARM, [both], { at: AT + HOUR });
    assert.deepEqual(cvesOf(await scanIn(store)), ['CVE-BOTH']);
  });

  test('with nodes of one platform a digest is what it was: one scan, which the next replaces', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, null, null, AMD, AT);
    for (const [n, platform] of [AMD, null].entries()) {
      await record(store, platform, [both, onAmd], { at: AT + n * HOUR });
      const scan = await scanIn(store);
      assert.deepEqual([missingPlatforms(scan), cvesOf(scan)], [[], ['CVE-AMD', 'CVE-BOTH']]);
      assert.equal(
        factsDigest((await readFacts(store.read, D)) ?? assert.fail()),
        factsDigest({
          ...((await readFacts(store.read, D)) ?? assert.fail()),
          scan: { ...scan, platforms: null },
        }),
      );
    }
    await record(store, null, [], { at: AT + 2 * HOUR });
    assert.deepEqual(cvesOf(await scanIn(store)), []);
  });

  test('an export carries what tells platforms apart, and a store that takes it in decides the same', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', [AMD, ARM, S390], AMD, AT);
    const three = [...ENTRIES, { platform: S390 ?? '', digest: digestOf(103) }];
    await record(store, AMD, [both, onAmd], { entries: three });
    await record(store, ARM, [both, onArm], { entries: three });
    const facts = (await readFacts(store.read, D)) ?? assert.fail();
    const other = await engine.open(t);
    await other.write((transaction) => importFacts(transaction, facts, AT));
    const taken = (await readFacts(other.read, D)) ?? assert.fail();
    for (const platform of [null, AMD, ARM, S390])
      assert.equal(factsDigest(factsOn(taken, platform)), factsDigest(factsOn(facts, platform)));
    const [row] = await runText<{ missing: number }>(
      other.read,
      'select missing from images where digest = ?',
      [D],
    );
    assert.equal(row?.missing, 1);
  });
});
