import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding, ScanRecord } from '../../src/findings/index.ts';
import { kevStore } from '../../src/store/catalogues/kev.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, finding, rowsOf, scanOf } from './image-records.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 1);
const A = 'CVE-2026-0001';
const B = 'CVE-2026-0002';

const SQLITE_GUARD = [
  `create trigger guard before insert on finding_history begin select raise(abort, 'written'); end`,
];
const POSTGRES_GUARD = [
  `create function guard() returns trigger language plpgsql as 'begin raise exception ''written''; end'`,
  'create trigger guard before insert or update on finding_history execute function guard()',
];

interface Made {
  readonly day: number;
  readonly scanner?: string;
  readonly databaseDay?: number | null;
  readonly at?: number;
}

async function scan(store: Store, findings: readonly Finding[] | null, made: Made): Promise<void> {
  const { day, scanner = 'trivy', databaseDay = made.day, at = START + day * DAY + 5000 } = made;
  const time = (days: number): string => new Date(START + days * DAY).toISOString().replace('.000', '');
  const record: ScanRecord = scanOf(findings, {
    scannedAt: time(day),
    scanner: { name: scanner, version: '1.0', dbUpdatedAt: databaseDay === null ? null : time(databaseDay) },
  });
  await store.write((transaction) =>
    recordScan(transaction, { digest: digestOf(1), names: [], source: null, scan: record, at }),
  );
}

/** Days since the start of what is kept of findings; `null` where nothing stands. */
async function kept(store: Store): Promise<unknown[]> {
  const rows = await rowsOf(store, 'select * from finding_history order by cve, first_seen_at');
  const day = (at: unknown): unknown => (typeof at === 'number' ? Math.floor((at - START) / DAY) : at);
  return rows.map((row) => [
    row['cve'],
    day(row['first_seen_at']),
    day(row['unreported_at']),
    day(row['ended_at']),
  ]);
}

forEachEngine('the history of findings', (engine) => {
  test('a finding is kept from the scan that first reported it to the one that proves it fixed, though scans go', async (t) => {
    const store = await engine.open(t);
    await scan(store, [finding(A), finding(B)], { day: 1 });
    await scan(store, [finding(A), finding(B)], { day: 2 });
    await scan(store, [finding(B)], { day: 3 });
    assert.deepEqual(await kept(store), [
      [A, 1, null, 3],
      [B, 1, null, null],
    ]);
    const [row] = await rowsOf(store, `select * from finding_history where cve = '${A}'`);
    const ids = (await rowsOf(store, 'select id from scans order by id')).map(({ id }) => id);
    assert.deepEqual([row?.['first_scan'], row?.['ended_scan']], [ids[0], ids[2]]);
    assert.deepEqual(JSON.parse(String(row?.['ended_by'])), {
      scanner: 'trivy',
      version: '1.0',
      db_updated_at: START + 3 * DAY,
    });
    const times = await rowsOf(store, 'select scanned_at from scan_history order by scanned_at');
    assert.deepEqual(
      times.map(({ scanned_at }) => scanned_at),
      [1, 2, 3].map((days) => START + days * DAY),
    );
  });

  test('one that comes back is another one, and the first keeps its end', async (t) => {
    const store = await engine.open(t);
    await scan(store, [finding(A)], { day: 1 });
    await scan(store, [], { day: 2 });
    await scan(store, [finding(A)], { day: 3 });
    await scan(store, [finding(A)], { day: 3, at: START + 4 * DAY });
    assert.deepEqual(await kept(store), [
      [A, 1, null, 2],
      [A, 3, null, null],
    ]);
  });

  test('a scan that proves nothing ends nothing: another scanner, an older database, none told, an incomplete one', async (t) => {
    const store = await engine.open(t);
    await scan(store, [finding(A)], { day: 1 });
    await scan(store, null, { day: 2 });
    assert.deepEqual(await kept(store), [[A, 1, null, null]]);
    await scan(store, [], { day: 3, scanner: 'grype' });
    await scan(store, [], { day: 4, databaseDay: 0 });
    await scan(store, [], { day: 5, databaseDay: null });
    assert.deepEqual(await kept(store), [[A, 1, 3, null]]);
    await scan(store, [finding(A)], { day: 6, databaseDay: 0 });
    assert.deepEqual(await kept(store), [[A, 1, null, null]], 'it was never gone');
    await scan(store, [], { day: 7, scanner: 'grype' });
    await scan(store, [], { day: 8, databaseDay: 0 });
    assert.deepEqual(await kept(store), [[A, 1, null, 8]], 'the scanner that found it, with that database');
  });

  test('what a scan found that does not say how old its database was ends with a database made since', async (t) => {
    const store = await engine.open(t);
    await scan(store, [finding(A)], { day: 1, databaseDay: null });
    await scan(store, [], { day: 2, databaseDay: null });
    await scan(store, [], { day: 3, databaseDay: 1 });
    assert.deepEqual(await kept(store), [[A, 1, 2, null]]);
    await scan(store, [], { day: 4, databaseDay: 2 });
    assert.deepEqual(await kept(store), [[A, 1, null, 4]]);
  });

  test('a scan that reports what the last one did writes nothing but that it was made', async (t) => {
    const store = await engine.open(t);
    const found = Array.from({ length: 300 }, (_, i) =>
      finding(`CVE-2026-${1000 + i}`, 'HIGH', { fixed: '2' }),
    );
    await scan(store, found, { day: 1 });
    const before = await rowsOf(store, 'select * from finding_history order by cve');
    const noWrite = engine.name === 'sqlite' ? SQLITE_GUARD : POSTGRES_GUARD;
    for (const statement of noWrite) await store.write((transaction) => runText(transaction, statement, []));
    await scan(store, found.toReversed(), { day: 2 });
    assert.deepEqual(await rowsOf(store, 'select * from finding_history order by cve'), before);
    await assert.rejects(scan(store, found.slice(1), { day: 3 }), /written/, 'the guard is at work');
    assert.equal((await rowsOf(store, 'select * from scan_history')).length, 2);
  });

  test('packages, fixed versions and severities are those of the newest scan, with the highest that ever was', async (t) => {
    const store = await engine.open(t);
    await scan(store, [finding(A, 'CRITICAL', { package: 'libssl' })], { day: 1 });
    await scan(
      store,
      [
        finding(A, 'MEDIUM', { package: 'libssl', fixed: '1.1' }),
        finding(A, 'LOW', { package: 'openssl' }),
        finding(A, 'LOW', { package: 'openssl', installed: '0.9' }),
      ],
      { day: 2 },
    );
    const [row] = await rowsOf(store, 'select * from finding_history');
    assert.deepEqual(
      [row?.['rank'], row?.['worst'], row?.['package'], row?.['fixed'], row?.['others'], row?.['fixable_at']],
      [2, 4, 'libssl', '1.1', '[["openssl",null]]', START + 2 * DAY],
    );
  });

  test('when the catalogue took a CVE in and out stays known, for the finding and for the catalogue', async (t) => {
    const store = await engine.open(t);
    const kev = kevStore(store);
    const take = async (cves: readonly string[], days: number): Promise<void> => {
      const entries = cves.map((cve) => ({ cve, dateAdded: '2026-10-30', dueDate: null }));
      const at = START + days * DAY;
      const catalogue = { version: `v${days}`, releasedAt: at, entries };
      await kev.replace(catalogue, {
        source: 'file:///kev.json',
        validators: { etag: null, lastModified: null },
        at,
      });
      await kev.mark(at, new AbortController().signal);
    };
    await scan(store, [finding(A), finding(B)], { day: 1 });
    await take([A, 'CVE-2020-1'], 2);
    await take([A, B], 3);
    await take([B], 4);
    const day = (at: unknown): unknown => (typeof at === 'number' ? (at - START) / DAY : at);
    const marks = await rowsOf(
      store,
      'select cve, exploited_at, exploited_until from finding_history order by cve',
    );
    assert.deepEqual(
      marks.map((row) => [row['cve'], day(row['exploited_at']), day(row['exploited_until'])]),
      [
        [A, 2, 4],
        [B, 3, null],
      ],
    );
    const listed = await rowsOf(store, 'select * from catalogue_history order by cve, listed_at');
    assert.deepEqual(
      listed.map((row) => [row['cve'], day(row['listed_at']), day(row['delisted_at']), row['date_added']]),
      [
        ['CVE-2020-1', 2, 3, '2026-10-30'],
        [A, 2, 4, '2026-10-30'],
        [B, 3, null, '2026-10-30'],
      ],
    );
  });

  test('what could not be recorded whole leaves no history behind', async (t) => {
    const store = await engine.open(t);
    await assert.rejects(
      store.write(async (transaction) => {
        const made = scanOf([finding(A)]);
        await recordScan(transaction, { digest: digestOf(1), names: [], source: null, scan: made, at: AT });
        throw new Error('no');
      }),
      /no/,
    );
    for (const table of ['finding_history', 'scan_history', 'history_images'])
      assert.deepEqual(await rowsOf(store, `select * from ${table}`), []);
  });
});
