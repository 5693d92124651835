import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '../../src/base/index.ts';
import type { Advisory, Finding, FoundAt } from '../../src/findings/index.ts';
import type { NewScan } from '../../src/scan/index.ts';
import { presentedOf } from '../../src/store/findings/presented.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { issueFacts } from '../../src/store/tracking/issue-facts.ts';
import { vulnerabilityStore } from '../../src/store/images/vulnerabilities.ts';
import { findingKey } from '../../src/trackers/index.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, factsText, finding, rowsOf, scanOf } from './image-records.ts';

const layer = (of: string): string => `sha256:${of.repeat(64)}`;
const at = (target: string, path: string | null, of: string): FoundAt => ({ target, path, layer: layer(of) });
const said = (title: string, source = 'nvd', score = 9.8): Advisory => ({
  title,
  url: 'https://avd.aquasec.com/nvd/cve-2026-1',
  cvss: { version: '3.1', score, vector: 'CVSS:3.1/AV:N/AC:L/PR:N', source },
});
const A = 'CVE-2026-1';
const B = 'CVE-2026-2';

async function scan(store: Store, image: number, found: readonly Finding[], more: Partial<NewScan> = {}) {
  const time = more.at ?? AT;
  await store.write((transaction) =>
    recordScan(transaction, {
      ...{ digest: digestOf(image), names: [`ghcr.io/acme/web${image}:1`], source: null },
      scan: scanOf(found, { scannedAt: formatTime(time) }),
      ...{ ...more, at: time },
    }),
  );
}

const advisories = (store: Store) =>
  rowsOf(store, 'select cve, rated_by, title, cvss_score from advisories order by cve, rated_by');

forEachEngine('what people read of findings', (engine) => {
  test('is kept with the scan, once for all images, and told in issues, of images and in the list', async (t) => {
    const store = await engine.open(t);
    const found = [
      finding(A, 'CRITICAL', { advisory: said('one'), foundAt: at('Node.js', 'app/a.json', 'a') }),
      finding(A, 'CRITICAL', { advisory: said('one'), foundAt: at('Node.js', 'lib/a.json', 'b') }),
      finding(B, 'HIGH', { package: 'zlib' }),
    ];
    await scan(store, 1, found);
    await scan(store, 2, found);
    assert.deepEqual(await advisories(store), [{ cve: A, rated_by: 'nvd', title: 'one', cvss_score: 98 }]);
    assert.deepEqual(
      await presentedOf(store.read, digestOf(1)),
      found.map(({ cve, advisory = null, foundAt = null }) => ({ cve, advisory, foundAt })),
    );
    const name = { digest: digestOf(2), cve: A };
    const known = (await issueFacts(store).findings([name])).get(findingKey(name));
    assert.deepEqual(known?.advisory, said('one'));
    assert.deepEqual(known?.packages, [
      {
        ...{ name: 'openssl', installed: '1.0', fixed: null },
        foundAt: found.flatMap(({ foundAt }) => foundAt ?? []),
      },
    ]);
    const many = Array.from({ length: 8 }, (_, i) =>
      finding(A, 'CRITICAL', { foundAt: at('Node.js', `${i}.json`, 'a') }),
    );
    await scan(store, 2, many, { at: AT + 1 });
    const [one] = (await issueFacts(store).findings([name])).get(findingKey(name))?.packages ?? [];
    assert.deepEqual([one?.foundAt?.length, one?.morePlaces], [5, 3]);
    const query = {
      ...{ severity: null, knownExploited: null, fixable: null, triaged: null, image: null, namespace: null },
      ...{ search: null, sort: 'severity' as const, descending: true, at: AT, limit: null, offset: 0 },
    } as const;
    const { items } = await vulnerabilityStore(store).list(query);
    assert.deepEqual(
      items.map(({ cve, advisory }) => [cve, advisory]),
      [
        [A, said('one')],
        [B, null],
      ],
    );
  });

  test('the newest word of a source holds, another source stands beside it, and all go with the last image', async (t) => {
    const store = await engine.open(t);
    await scan(store, 1, [finding(A, 'HIGH', { advisory: said('one') })]);
    await scan(store, 2, [finding(A, 'HIGH', { advisory: said('other', 'redhat', 5.5) })]);
    await scan(store, 3, [finding(A, 'HIGH', { advisory: said('two', 'nvd', 7) })]);
    const both = [
      { cve: A, rated_by: 'nvd', title: 'two', cvss_score: 70 },
      { cve: A, rated_by: 'redhat', title: 'other', cvss_score: 55 },
    ];
    assert.deepEqual(await advisories(store), both);
    const [own] = (await presentedOf(store.read, digestOf(2))) ?? [];
    assert.equal(own?.advisory?.cvss?.source, 'redhat');
    for (const image of [1, 2]) await scan(store, image, [], { at: AT + 1000 });
    assert.deepEqual(await advisories(store), both, 'an image has the CVE');
    await scan(store, 3, [], { at: AT + 1000 });
    assert.deepEqual(await advisories(store), []);
    assert.deepEqual(
      await rowsOf(store, 'select id from scans where places is not null'),
      [],
      'a scan that was replaced keeps none',
    );
  });

  test('changes no facts: what a decision reads is the same with and without', async (t) => {
    const store = await engine.open(t);
    await scan(store, 1, [finding(A)]);
    const before = await factsText(store, digestOf(1));
    const found = finding(A, 'HIGH', { advisory: said('one'), foundAt: at('Node.js', null, 'a') });
    await scan(store, 1, [found]);
    assert.equal((await presentedOf(store.read, digestOf(1)))?.[0]?.advisory?.title, 'one');
    assert.deepEqual(await factsText(store, digestOf(1)), before);
  });

  test('of a package that several platforms have, a layer of one of them is not told', async (t) => {
    const store = await engine.open(t);
    const entries = ['linux/amd64', 'linux/arm64'].map((platform, i) => ({
      platform,
      digest: digestOf(9 + i),
    }));
    for (const [i, { platform }] of entries.entries())
      await scan(
        store,
        1,
        [
          finding(A, 'HIGH', { advisory: said('one'), foundAt: at('Node.js', 'a.json', String(i)) }),
          ...(i === 0 ? [finding(B, 'HIGH', { foundAt: at('Node.js', 'b.json', 'c') })] : []),
        ],
        { platform, at: AT + i },
      );
    const presented = await presentedOf(store.read, digestOf(1));
    assert.deepEqual(
      presented?.map(({ cve, foundAt }) => [cve, foundAt]),
      [
        [A, { target: 'Node.js', path: 'a.json', layer: null }],
        [B, at('Node.js', 'b.json', 'c')],
      ],
    );
    assert.deepEqual(presented?.[0]?.advisory, said('one'));
  });
});
