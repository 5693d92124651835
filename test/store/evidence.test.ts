import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { DAY_MS, parseTime } from '../../src/base/index.ts';
import { recompute, verifyPackage } from '../../src/evidence/index.ts';
import { nodesOf } from '../../src/store/evidence/nodes.ts';
import { recordDetector } from '../../src/store/history/index.ts';
import { importExport } from '../../src/store/ledger/import.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { run } from '../../src/store/sql/run.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { openBytesPackage, unzip } from '../evidence/open-bytes.ts';
import { packageOfStore } from '../evidence/of-store.ts';
import { forEachEngine } from './engines.ts';
import { digestOf, finding, scanOf } from './image-records.ts';
import { openWhole } from './made-ledger.ts';

const SHOP = gunzipSync(
  readFileSync(join(resolve(import.meta.dirname, '../..'), 'fixtures/ledger/shop.ndjson.gz')),
).toString('utf8');
const TO = parseTime('2026-11-20T06:00:00Z');
const FROM = TO - 30 * DAY_MS;
const NOW = TO + DAY_MS;

/** The shop's ledger, a finding that was fixed in time and triaged, an issue, an image that ran, and a detector. */
async function fill(store: Store): Promise<void> {
  await importExport(store, await openWhole(SHOP), { at: FROM });
  const image = { digest: digestOf(1), names: ['ghcr.io/acme/web:2', 'ghcr.io/acme/web:1'], source: null };
  const scans = [
    [
      scanOf([
        finding('CVE-2026-1', 'CRITICAL', { fixed: '2' }),
        finding('CVE-2026-2', 'HIGH', { fixed: '2' }),
      ]),
      FROM + DAY_MS,
    ],
    [scanOf([finding('CVE-2026-2', 'HIGH', { fixed: '2' })]), FROM + 3 * DAY_MS],
  ] as const;
  for (const [scan, at] of scans)
    await store.write((transaction) =>
      recordScan(transaction, { ...image, scan: { ...scan, scannedAt: new Date(at).toISOString() }, at }),
    );
  await store.write(async (transaction) => {
    await run(
      transaction,
      sql`insert into triage (digest, cve, reason, triaged_by, account_id, severity, created_at, "until")
        values (${digestOf(1)}, 'CVE-2026-2', 'not reachable', 'Ann', 'abcdefghijklmnop', 'LOW', ${FROM + 2 * DAY_MS}, ${NOW + DAY_MS})`,
    );
    await run(
      transaction,
      sql`insert into clusters (name, first_seen_at, last_seen_at) values ('silent', ${FROM}, ${FROM + DAY_MS})`,
    );
  });
  await store.write(async (transaction) => {
    const channels = [
      ['told', 'on-call', 'slack'],
      ['filed', 'hub', 'github'],
    ] as const;
    for (const [place, [id, name, kind]] of channels.entries()) {
      await run(
        transaction,
        sql`insert into channels (id, name, kind, enabled, settings, subscriptions, created_at, updated_at, place, version)
          values (${id}, ${name}, ${kind}, 1, '{}', '[]', ${FROM}, ${FROM}, ${place}, 1)`,
      );
    }
    const mutes = [
      ['told', FROM - 2 * DAY_MS, FROM - DAY_MS, null],
      ['told', FROM - DAY_MS, FROM + DAY_MS, null],
      ['filed', FROM, FROM + DAY_MS, null],
      ['gone', TO - DAY_MS, TO + DAY_MS, TO - DAY_MS / 2],
    ] as const;
    for (const [channel, at, until, ended] of mutes)
      await run(
        transaction,
        sql`insert into channel_mutes (channel_id, muted_at, until, reason, muted_by, ended_at, unmuted_by)
          values (${channel}, ${at}, ${until}, 'the room is moved', 'user:abcdefghijklmnop', ${ended}, null)`,
      );
  });
  await recordDetector(store, {
    cluster: 'shop-prod-eu1',
    at: FROM + DAY_MS,
    events: 1,
    heartbeats: 0,
  });
}

const digests = new Map<string, string>();

forEachEngine('evidence packages of a store', (engine) => {
  test('a package holds every population, verifies and follows from its rows', async (t) => {
    const store = await engine.open(t);
    await fill(store);
    const bytes = await packageOfStore(store, { from: FROM, to: TO, now: NOW });
    const pkg = await openBytesPackage(bytes);
    const { document } = pkg;
    assert.deepEqual((await recompute(pkg, '0.0.0')).differences, []);
    const verified = await verifyPackage(pkg, { keys: [], ledgerKeys: [], kept: [] });
    assert.equal(verified.holds, true, JSON.stringify(verified.checks));
    const files = unzip(bytes);
    assert.match(
      String(files.get('triage.csv')),
      /ghcr\.io\/acme\/web:1,CVE-2026-2,HIGH,not reachable,user:abcdefghijklmnop,/,
    );
    assert.ok(/CVE-2026-2,HIGH,.*,triaged,/.test(String(files.get('vulnerabilities.csv'))));
    assert.ok(
      document.coverage.clusters?.some(
        ({ name, sent_nothing_since: since }) => name === 'silent' && since !== null,
      ),
    );
    assert.ok(!('note' in document.mutes));
    assert.deepEqual(
      document.mutes.items.map(({ channel, name, ended_at: ended }) => [channel, name, ended !== null]),
      [
        ['told', 'on-call', false],
        ['gone', null, true],
      ],
      'mutes of the period, of channels that are told, also of one that was deleted',
    );
    assert.match(String(files.get('evidence.html')), /Muted channels[^]*the room is moved/);
    assert.equal(document.coverage.days?.filter((day) => day.detector_events === 1).length, 1);
    assert.ok(!('note' in document.runtime) && document.runtime.raw !== null);
    digests.set(engine.name, createHash('sha256').update(bytes).digest('hex'));
  });

  test('issues that were replaced, or found again, are counted on lines of their own, and none was open for less than nothing', async (t) => {
    const store = await engine.open(t);
    await fill(store);
    const closed = FROM + 5 * DAY_MS;
    const issues = [
      ['fixed', FROM + DAY_MS, null, null, null],
      // By a leader whose clock was behind.
      ['fixed', closed + DAY_MS, closed + 2 * DAY_MS, null, null],
      ['image_retired', FROM + DAY_MS, null, digestOf(7), 0],
      ['image_retired', FROM + DAY_MS, null, digestOf(7), 1],
      ['image_retired', FROM + DAY_MS, null, null, null],
    ] as const;
    await store.write(async (transaction) => {
      for (const [n, [reason, opened, returned, successor, hasCve]] of issues.entries())
        await run(
          transaction,
          sql`insert into tracking (kind, digest, cve, generation, channel_id, channel_kind, clusters, severity, state, reason, claimed_at, opened_at,
              closed_at, issue_key, issue_url, marker, returned_at, superseded_by, successor_has_cve)
            values ('finding', ${digestOf(20 + n)}, 'CVE-2026-9', 1, 'filed', 'github', '[]', 'CRITICAL', 'closed', ${reason}, ${opened}, ${opened},
              ${closed}, ${String(n)}, ${`https://tracker.example/${n}`}, ${`m${n}`}, ${returned}, ${successor}, ${hasCve})`,
        );
    });
    const bytes = await packageOfStore(store, { from: FROM, to: TO, now: NOW });
    const pkg = await openBytesPackage(bytes);
    const { issues: section } = pkg.document;
    assert.ok(!('note' in section));
    const { closed_fixed, closed_image_retired, retired_replaced, returned, rows } = section;
    assert.deepEqual([closed_fixed, closed_image_retired, retired_replaced, returned], [2, 3, 1, 1]);
    assert.deepEqual(
      (rows as readonly Readonly<Record<string, unknown>>[]).map((row) => [
        row['hours_open'],
        row['returned_at'] !== null,
        row['superseded_by'],
        row['successor_has_cve'],
      ]),
      [
        [96, false, null, null],
        [0, true, null, null],
        [96, false, digestOf(7), false],
        [96, false, digestOf(7), true],
        [96, false, null, null],
      ],
    );
    assert.deepEqual((await recompute(pkg, '0.0.0')).differences, []);
    const files = unzip(bytes);
    assert.match(
      String(files.get('evidence.html')),
      /Retired and replaced by an image without the CVE: 1\. 1 of the closed ones was found again since\./,
    );
    const [head = '', ...lines] = String(files.get('issues.csv')).trim().split(/\r?\n/);
    assert.match(head, /,inside_window,returned_at,superseded_by,successor_has_cve$/);
    assert.match(lines[2] ?? '', new RegExp(`,,${digestOf(7)},false$`));
  });

  test('nodes and their ceiling are those of the clusters that were asked for and still run', async (t) => {
    const store = await engine.open(t);
    assert.deepEqual(await nodesOf(store, []), { count: null, ceiling: null });
    await store.write(async (transaction) => {
      for (const [cluster, count, ceiling, forgotten] of [
        ['east', 5, 6, null],
        ['west', 4, 10, null],
        ['open', 7, null, null],
        ['gone', 50, 100, NOW],
      ] as const) {
        await run(
          transaction,
          sql`insert into nodes (cluster, count, ceiling, counted_at, state) values (${cluster}, ${count}, ${ceiling}, ${FROM}, 'within')`,
        );
        await run(
          transaction,
          sql`insert into clusters (name, first_seen_at, last_seen_at, forgotten_at) values (${cluster}, ${FROM}, ${FROM}, ${forgotten})`,
        );
      }
    });
    for (const [clusters, count, ceiling] of [
      [['east'], 5, 6],
      [['east', 'west'], 9, 16],
      // A cluster without a ceiling may have as many as it likes, and so may all together.
      [['east', 'open'], 12, null],
      [[], 16, null],
      [['north'], null, null],
    ] as const)
      assert.deepEqual(await nodesOf(store, clusters), { count, ceiling }, clusters.join());
  });
});

test('both engines give the same bytes', (t) => {
  if (digests.size < 2) return t.skip('one engine only');
  assert.equal(new Set(digests.values()).size, 1);
});
