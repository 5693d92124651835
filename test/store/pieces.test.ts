import assert from 'node:assert/strict';
import { test } from 'node:test';
import { severityRank, type Finding } from '../../src/findings/index.ts';
import type { NewScan } from '../../src/scan/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { finishFindings, settleFindings } from '../../src/store/scans/finding-changes.ts';
import { beginHistory } from '../../src/store/history/records.ts';
import { kevStore } from '../../src/store/catalogues/kev.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { recordScan, scanStore } from '../../src/store/scans/scans.ts';
import { followLedger } from '../../src/store/images/sightings.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { counting, dying } from './cut-writes.ts';
import { forEachEngine, sqlite } from './engines.ts';

const AT = Date.UTC(2026, 10, 21, 9);
const digestOf = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`;
const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;

function findingOf(n: number): Finding {
  const severity = SEVERITIES[n % 4] ?? 'LOW';
  return {
    cve: `CVE-2026-${10_000 + n}`,
    ...{ severity, rank: severityRank(severity) ?? 0, package: `lib${n % 50}`, installed: `1.${n}` },
    ...{ fixed: n % 3 === 0 ? `1.${n}.1` : null, knownExploited: null },
    ...{ triagedUntil: null, triagedUntilMs: -Infinity },
    advisory: {
      title: `a flaw in lib${n % 50}`,
      url: null,
      cvss: { version: '3.1', score: 7.5, vector: 'CVSS:3.1/AV:N', source: 'nvd' },
    },
  };
}

/** A report of an image, `hour` hours after the first; two findings of each of `count` packages' CVEs. */
function reportOf(image: number, hour: number, first: number, count: number): NewScan {
  const time = new Date(AT - 86_400_000 + hour * 3_600_000).toISOString();
  const findings = Array.from({ length: count }, (_, i) => findingOf(first + Math.floor(i / 2)));
  return {
    ...{ digest: digestOf(image), names: ['ghcr.io/acme/web:1'], source: null, at: AT + hour },
    scan: {
      ...{ scannedAt: time, scanner: { name: 'trivy', version: '1', dbUpdatedAt: time } },
      ...{ os: { family: 'debian', name: '13.1', eosl: false }, findings },
    },
  };
}

/** New, the same again, others, few, and a second image with some of the same. */
const REPORTS = [
  reportOf(1, 0, 0, 900),
  reportOf(1, 1, 0, 900),
  reportOf(2, 1, 200, 600),
  reportOf(1, 2, 300, 900),
  reportOf(2, 3, 200, 20),
  reportOf(1, 4, 0, 900),
];

const KEPT = {
  cve_totals: 'cve',
  cve_packages: 'cve, package, fixed',
  advisories: 'cve, rated_by',
  finding_history: 'image, cve, first_seen_at',
  scan_history: 'image, scanned_at',
  scans: 'id',
  findings: 'scan_id, ordinal',
  images: 'digest',
} as const;

async function dump(store: Store): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {};
  for (const [table, key] of Object.entries(KEPT))
    all[table] = await runText(store.read, `select * from ${table} order by ${key}`, []);
  all['settings'] = await runText(store.read, `select key from settings where key like 'findings.%'`, []);
  return all;
}

const whole = (store: Store, scan: NewScan) => store.write((transaction) => recordScan(transaction, scan));
const inPieces = (store: Store, scan: NewScan) =>
  store.write((transaction) => recordScan(transaction, scan, 400));

forEachEngine('what follows from a report of many findings', (engine) => {
  test('comes to the same in pieces as at once', async (t) => {
    const [one, other] = [await engine.open(t), await engine.open(t)];
    for (const report of REPORTS) {
      assert.deepEqual(await scanStore(one).record(report), await whole(other, report));
      assert.deepEqual(await dump(one), await dump(other));
    }
  });

  test('is done after a crash between any two pieces, by the start or by the next report', async (t) => {
    const [expected, ...reports] = [await engine.open(t), REPORTS[0], REPORTS[3]] as const;
    for (const report of reports) if (report) await whole(expected, report);
    const { advisories: _said, ...told } = await dump(expected); // a crash may lose what a report says of them
    for (const died of [0, 1]) {
      for (const next of ['start', 'report'] as const) {
        const store = await engine.open(t);
        for (const report of reports) {
          if (!report) continue;
          await inPieces(store, report);
          const facts = await runText(store.read, 'select facts from images where facts is not null', []);
          assert.equal(facts.length, 1, 'what decides is there at once');
          await assert.rejects(settleFindings(dying(store, died), report.digest, null), /it died/);
          if (next === 'start') await beginHistory(store, AT);
        }
        await beginHistory(store, AT);
        const { advisories: _, ...left } = await dump(store);
        assert.deepEqual(left, told);
      }
    }
  });

  test('leaves totals, advisories and history as they were where a report found the same again', async (t) => {
    const store = await engine.open(t);
    const kept = ['cve_totals', 'cve_packages', 'advisories', 'finding_history'] as const;
    for (const count of [20, 900]) {
      const first = reportOf(count, 0, 0, count);
      await scanStore(store).record(first);
      const before = await dump(store);
      assert.equal((await scanStore(store).record(reportOf(count, 1, 0, count))).outcome, 'current');
      const after = await dump(store);
      for (const table of kept) assert.deepEqual(after[table], before[table]);
      const [had, has] = [before, after].map(
        ({ findings }) => findings as { scan_id: number; cve: string }[],
      );
      const same = has?.map((row, i) => ({ ...row, scan_id: had?.[i]?.scan_id ?? row.scan_id }));
      assert.deepEqual(same, had, 'only their scan is another');
      const [current] = await runText<{ id: number; times: number }>(
        store.read,
        `select s.id, (select count(*) from scan_history) as times from scans s where s.digest = ? and s.current = 1`,
        [first.digest],
      );
      assert.equal(has?.filter(({ scan_id }) => scan_id === current?.id).length, count);
      assert.equal(current?.times, count === 20 ? 2 : 4);
    }
  });

  test('is finished before the catalogue marks the same image', async (t) => {
    const [one, other] = [await engine.open(t), await engine.open(t)];
    const from = { source: 'x', validators: { etag: null, lastModified: null }, at: AT };
    const entries = [10, 20, 400].map((n) => ({
      ...{ cve: findingOf(n).cve, dateAdded: '2026-01-01', dueDate: null },
    }));
    const [report = reportOf(1, 0, 0, 900)] = REPORTS;
    await inPieces(one, report);
    await whole(other, report);
    for (const store of [one, other]) {
      await kevStore(store).replace({ version: '1', releasedAt: AT, entries }, from);
      await kevStore(store).mark(AT, new AbortController().signal);
      await store.write((transaction) => finishFindings(transaction, report.digest));
    }
    const { advisories: _one, ...left } = await dump(one);
    const { advisories: _other, ...told } = await dump(other);
    assert.deepEqual(left, told);
  });
});

test('no transaction of a report writes more than the findings themselves, and what follows some hundred rows each', async (t) => {
  const store = await sqlite.open(t);
  for (const [i, report] of REPORTS.entries()) {
    const written: number[] = [];
    const { findings } = report.scan;
    await scanStore(counting(store, written)).record(report);
    const [own = 0, ...behind] = written;
    if (i === 1) assert.equal(behind.length, 0, 'nothing follows where the same was found');
    const few = (findings?.length ?? 0) < 100 ? 2500 : 0;
    assert.ok(own <= (findings?.length ?? 0) + 30 + few, `report ${i}: ${own} rows at once`);
    assert.ok(
      behind.every((rows) => rows <= 3000),
      `report ${i}: ${behind.join(', ')} rows`,
    );
  }
});

test('rows of the ledger about many images are taken in some images at a time', async (t) => {
  const store = await sqlite.open(t);
  const writer = ledgerWriter(store);
  const images = Array.from({ length: 1500 }, (_, n) => n);
  for (let from = 0; from < images.length; from += 500)
    await writer.appendAll(
      images.slice(from, from + 500).map((n) => ({
        uid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
        rows: [
          {
            ...{ at: AT, namespace: 'shop', pod: 'web-1', container: 'web' },
            ...{ image: `ghcr.io/acme/web:${n}`, digest: digestOf(n), allowed: true, reason: '' },
          },
        ],
      })),
    );
  const written: number[] = [];
  const counted = counting(store, written);
  while (await followLedger(counted, 20_000));
  assert.ok(Math.max(...written) <= 600, `${Math.max(...written)} rows`);
  const [seen] = await runText<{ count: number }>(
    store.read,
    'select count(*) as count from image_sightings',
    [],
  );
  assert.equal(seen?.count, images.length);
});
