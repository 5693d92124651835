import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { vulnerabilitySchema, type VulnerabilityBody } from '../../src/api/contract/vulnerabilities.ts';
import { recordScan, type Store } from '../../src/store/index.ts';
import { append, AT, digestOf, finding, scanOf } from '../store/image-records.ts';
import { openFile, startInventory } from './inventory.ts';

async function fill(store: Store): Promise<void> {
  const found = [
    [finding('CVE-2', 'LOW'), finding('CVE-1', 'CRITICAL', { fixed: '1.1', knownExploited: true })],
    [
      finding('CVE-1', 'HIGH', { package: 'Zlib', fixed: '1.2', knownExploited: true }),
      finding('CVE-3', 'MEDIUM', { knownExploited: false }),
    ],
  ];
  for (const [i, findings] of found.entries())
    await store.write((transaction) =>
      recordScan(transaction, {
        digest: digestOf(i + 1),
        names: [`ghcr.io/acme/web:${i + 1}`],
        source: null,
        scan: scanOf(findings),
        at: AT,
      }),
    );
  await append(store, [{ digest: digestOf(2), namespace: 'ci', image: 'ghcr.io/acme/web:2' }]);
}

suite('GET /vulnerabilities', () => {
  test('gives one item for each CVE, most severe first, as the schema says', async (t) => {
    const store = await openFile(t);
    await fill(store);
    const { as } = await startInventory(t, store);
    const { body } = await as('viewer').json<{ items: VulnerabilityBody[]; total: number }>(
      'GET /vulnerabilities',
    );
    for (const item of body.items) vulnerabilitySchema.parse(item);
    assert.deepEqual(body, {
      items: [
        {
          cve: 'CVE-1',
          severity: 'CRITICAL',
          images: 2,
          sample: [digestOf(2), digestOf(1)],
          packages: [
            { name: 'Zlib', fixed: ['1.2'] },
            { name: 'openssl', fixed: ['1.1'] },
          ],
          fixable: true,
          known_exploited: true,
          triaged_images: 0,
        },
        {
          cve: 'CVE-3',
          severity: 'MEDIUM',
          images: 1,
          sample: [digestOf(2)],
          packages: [{ name: 'openssl', fixed: [] }],
          fixable: false,
          known_exploited: false,
          triaged_images: 0,
        },
        {
          cve: 'CVE-2',
          severity: 'LOW',
          images: 1,
          sample: [digestOf(1)],
          packages: [{ name: 'openssl', fixed: [] }],
          fixable: false,
          known_exploited: null,
          triaged_images: 0,
        },
      ],
      total: 3,
    });
  });

  test('filter, search, sort and pages run in the service', async (t) => {
    const store = await openFile(t);
    await fill(store);
    const { as } = await startInventory(t, store);
    const cves = async (query: Record<string, string>): Promise<unknown[]> => {
      const { body } = await as('viewer').json<{ items: VulnerabilityBody[]; total: number }>(
        'GET /vulnerabilities',
        { query },
      );
      return [body.total, ...body.items.map(({ cve }) => cve)];
    };
    assert.deepEqual(await cves({ severity: 'LOW,MEDIUM' }), [2, 'CVE-3', 'CVE-2']);
    assert.deepEqual(await cves({ known_exploited: 'true' }), [1, 'CVE-1']);
    assert.deepEqual(await cves({ fixable: 'false', sort: 'cve' }), [2, 'CVE-2', 'CVE-3']);
    assert.deepEqual(await cves({ q: 'zLIB' }), [1, 'CVE-1']);
    assert.deepEqual(await cves({ namespace: 'ci' }), [2, 'CVE-1', 'CVE-3']);
    assert.deepEqual(await cves({ image: 'ghcr.io/acme/web:1' }), [2, 'CVE-1', 'CVE-2']);
    assert.deepEqual(await cves({ image: digestOf(2), severity: 'CRITICAL' }), [1, 'CVE-1']);
    assert.deepEqual(await cves({ triaged: 'true' }), [0]);
    assert.deepEqual(await cves({ sort: 'images', order: 'asc', limit: '1', offset: '1' }), [3, 'CVE-2']);
    for (const query of [{ severity: 'high' }, { fixable: 'yes' }, { q: '' }, { sort: 'age' }])
      await assert.rejects(cves(query), { code: 'invalid_request' });
  });
});
