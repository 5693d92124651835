import assert from 'node:assert/strict';
import { test } from 'node:test';
import { severityRank, type Finding } from '../../src/findings/index.ts';
import type { NewScan } from '../../src/scan/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { beginHistory } from '../../src/store/history/records.ts';
import { kevStore } from '../../src/store/catalogues/kev.ts';
import { recordScan, scanStore } from '../../src/store/scans/scans.ts';
import { dropLeftStaged } from '../../src/store/scans/staged-findings.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { readUncounted } from '../../src/store/tracking/critical.ts';
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
    foundAt: { target: `layer ${n % 5}`, path: null, layer: null },
  };
}

/** A report of an image, `hour` hours after the first. */
function reportOf(image: number, hour: number, first: number, count: number, platform?: string): NewScan {
  const time = new Date(AT - 86_400_000 + hour * 3_600_000).toISOString();
  const findings = Array.from({ length: count }, (_, i) => findingOf(first + Math.floor(i / 2)));
  return {
    ...{ digest: digestOf(image), names: ['ghcr.io/acme/web:1'], source: null, at: AT + hour },
    ...(platform !== undefined && {
      platform,
      entries: ['amd64', 'arm64'].map((arch, i) => ({
        ...{ platform: `linux/${arch}`, digest: digestOf(900 + i) },
      })),
    }),
    scan: {
      ...{ scannedAt: time, scanner: { name: 'trivy', version: '1', dbUpdatedAt: time } },
      ...{ os: { family: 'debian', name: '13.1', eosl: false }, findings },
    },
  };
}

/** New, the same again, others, few, many again; and an index whose platforms are scanned by themselves. */
const REPORTS = [
  reportOf(1, 0, 0, 2200),
  reportOf(1, 1, 0, 2200),
  reportOf(1, 2, 300, 1800),
  reportOf(1, 3, 300, 20),
  reportOf(1, 4, 0, 1500),
  reportOf(2, 0, 0, 1200, 'linux/amd64'),
  reportOf(2, 1, 200, 1200, 'linux/arm64'),
  reportOf(2, 2, 200, 1400, 'linux/amd64'),
];

const KEPT = {
  cve_totals: 'cve',
  cve_packages: 'cve, package, fixed',
  finding_history: 'image, cve, first_seen_at',
  scan_history: 'image, scanned_at',
  scans: 'id',
  findings: 'scan_id, ordinal',
  images: 'digest',
  scan_platforms: 'digest, platform',
} as const;

/** Scans are numbered in their order, so that numbers which a crash used up make no difference. */
async function dump(store: Store): Promise<Record<string, unknown[]>> {
  const ids = await runText<{ id: number }>(store.read, 'select id from scans order by id', []);
  const number = new Map(ids.map(({ id }, i) => [id, i + 1]));
  const renumber = (row: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        ['scan_id', 'first_scan', 'ended_scan'].includes(name) && value !== null
          ? (number.get(value as number) ?? value)
          : value,
      ]),
    );
  const all: Record<string, unknown[]> = {};
  for (const [table, key] of Object.entries(KEPT)) {
    const rows = await runText<Record<string, unknown>>(
      store.read,
      `select * from ${table} order by ${key}`,
      [],
    );
    all[table] = rows.map((row) =>
      renumber(table === 'scans' ? { ...row, id: number.get(row['id'] as number) } : row),
    );
  }
  all['settings'] = await runText(store.read, `select key from settings where key like 'findings.%'`, []);
  return all;
}

const whole = (store: Store, scan: NewScan) => store.write((transaction) => recordScan(transaction, scan));
const staged = async (store: Store): Promise<number> =>
  (await runText(store.read, `select key from settings where key like 'findings.staged %'`, [])).length;

forEachEngine('a report of more than a thousand findings', (engine) => {
  test('comes to the same whether it is recorded at once, by itself, or with something else', async (t) => {
    const [one, other, third] = [await engine.open(t), await engine.open(t), await engine.open(t)];
    for (const report of REPORTS) {
      const told = await whole(other, report);
      assert.deepEqual(await scanStore(one).record(report), told);
      const scans = scanStore(third);
      await scans.prepare(report);
      assert.deepEqual(await third.write(() => scans.record(report)), told);
      assert.deepEqual(await dump(one), await dump(other));
      assert.deepEqual(await dump(third), await dump(other));
    }
  });

  test('comes to the same after a crash between any two of its transactions, once it is recorded again', async (t) => {
    const expected = await engine.open(t);
    const reports = [REPORTS[0], REPORTS[2]].filter((report) => report !== undefined);
    for (const report of reports) await whole(expected, report);
    const told = await dump(expected);
    for (let died = 0; ; died += 1) {
      const store = await engine.open(t);
      let isDead = false;
      for (const report of reports) {
        const before = await readUncounted(store.read);
        try {
          await scanStore(dying(store, died)).record(report);
        } catch (error) {
          assert.match(String(error), /it died/);
          isDead = true;
          if ((await staged(store)) > 0) {
            assert.deepEqual(
              await readUncounted(store.read),
              before,
              'what may come into use is not passed over',
            );
            await dropLeftStaged(store, AT + 100);
          }
          assert.equal(await staged(store), 0);
          await beginHistory(store, AT);
          const [inUse] = await runText<{ recorded_at: number }>(
            store.read,
            'select recorded_at from scans where digest = ? and current = 1',
            [report.digest],
          );
          if (inUse?.recorded_at !== report.at) await scanStore(store).record(report);
        }
      }
      await beginHistory(store, AT);
      assert.deepEqual(await dump(store), told, `after ${died} transactions`);
      if (!isDead) return assert.ok(died > 10, `${died} transactions`);
    }
  });

  test('is written again where the image or the catalogue changed since its findings were written', async (t) => {
    const [one, other] = [await engine.open(t), await engine.open(t)];
    const [first, , second] = REPORTS;
    if (first === undefined || second === undefined) throw new Error('no reports');
    const from = { source: 'x', validators: { etag: null, lastModified: null }, at: AT };
    const entries = [{ cve: findingOf(400).cve, dateAdded: '2026-01-01', dueDate: null }];
    for (const store of [one, other]) await scanStore(store).record(first);
    const scans = scanStore(one);
    await scans.prepare(second);
    for (const store of [one, other]) {
      await kevStore(store).replace({ version: '1', releasedAt: AT, entries }, from);
      await whole(store, reportOf(1, 1, 100, 50));
    }
    await scans.record(second);
    await whole(other, second);
    assert.deepEqual(await dump(one), await dump(other));
    assert.equal(await staged(one), 0);
  });

  test('leaves nothing where what it was to be recorded with failed, once that is long ago', async (t) => {
    const store = await engine.open(t);
    const [report = reportOf(1, 0, 0, 2000)] = REPORTS;
    const scans = scanStore(store);
    await scans.prepare(report);
    await assert.rejects(
      store.write(async () => {
        await scans.record(report);
        throw new Error('the claim was lost');
      }),
      /the claim was lost/,
    );
    assert.equal(await staged(store), 1);
    await dropLeftStaged(store, report.at);
    assert.equal(await staged(store), 1, 'not long ago');
    await dropLeftStaged(store, report.at + 1);
    const left = await dump(store);
    assert.deepEqual([left['scans'], left['findings'], left['settings']], [[], [], []]);
  });
});

test('no transaction of such a report writes more than some hundred rows', async (t) => {
  const store = await sqlite.open(t);
  for (const report of REPORTS) {
    const written: number[] = [];
    await scanStore(counting(store, written)).record(report);
    assert.ok(Math.max(...written) <= 3000, `${report.at}: ${written.join(', ')} rows`);
    // The one that brings the scan into use comes behind the findings, the last of which bring the places where they were found.
    if ((report.scan.findings?.length ?? 0) < 1000) continue;
    const [kept] = await runText<{ findings: number }>(
      store.read,
      'select count(*) as findings from findings f join scans s on s.id = f.scan_id where s.digest = ? and s.current = 1',
      [report.digest],
    );
    // Where the same was found, it is all there is.
    const pieces = written.length === 1 ? 0 : Math.ceil((kept?.findings ?? 0) / 450);
    const inUse = written[pieces] ?? Infinity;
    assert.ok(inUse <= 30, `${report.at}: ${written.join(', ')} rows`);
  }
});
