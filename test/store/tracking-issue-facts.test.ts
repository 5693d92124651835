import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runText } from '../../src/store/sql/dialect.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { followLedger } from '../../src/store/images/sightings.ts';
import { issueFacts } from '../../src/store/tracking/issue-facts.ts';
import { findingKey } from '../../src/trackers/index.ts';
import { forEachEngine } from './engines.ts';
import { append, AT, digestOf, finding, scanOf } from './image-records.ts';

const DIGEST = digestOf(7);

forEachEngine('what issues are written from', (engine) => {
  test('names, label, workloads, namespaces, the newest ledger row, the scan and the packages are told', async (t) => {
    const store = await engine.open(t);
    await append(store, [{ digest: DIGEST }, { digest: DIGEST, namespace: 'ci' }]);
    while (await followLedger(store, 1000));
    const found = [
      finding('CVE-2026-1001', 'CRITICAL', { fixed: '1.1', knownExploited: true }),
      finding('CVE-2026-1001', 'CRITICAL', { fixed: '1.1', knownExploited: true }),
      finding('CVE-2026-1001', 'HIGH', { package: 'libssl', knownExploited: true }),
      finding('CVE-2026-1002', 'CRITICAL'),
    ];
    await store.write((transaction) =>
      recordScan(transaction, {
        digest: DIGEST,
        names: ['ghcr.io/acme/web:2'],
        source: 'https://github.com/acme/web',
        scan: scanOf(found),
        at: AT,
      }),
    );
    const runs = [
      ['east', 'shop', 'Deployment/web', AT],
      ['gone', 'shop', 'Deployment/old', AT],
      ['west', 'ops', 'CronJob/job', AT + 1],
    ] as const;
    await store.write(async (transaction) => {
      for (const [cluster, namespace, workload, at] of runs)
        await runText(
          transaction,
          `insert into running_images (digest, cluster, namespace, workload, first_seen_at, last_seen_at) values (?, ?, ?, ?, ?, ?)`,
          [DIGEST, cluster, namespace, workload, at - 1000, at],
        );
      await runText(
        transaction,
        'insert into clusters (name, first_seen_at, last_seen_at, forgotten_at) values (?, ?, ?, ?)',
        ['gone', AT, AT, AT],
      );
    });
    const facts = issueFacts(store);
    const images = await facts.images([DIGEST, digestOf(8)]);
    assert.deepEqual([...images.keys()], [DIGEST]);
    const image = images.get(DIGEST);
    assert.ok(image);
    assert.ok(image.names.includes('ghcr.io/acme/web:2'));
    assert.equal(image.source, 'https://github.com/acme/web');
    assert.deepEqual(
      image.workloads.map(({ name, since }) => [name, since]),
      [
        ['CronJob/job', AT - 999],
        ['Deployment/web', AT - 1000],
      ],
    );
    assert.equal(image.workloadsTotal, 2);
    assert.deepEqual(image.namespaces, ['ci', 'ops', 'shop']);
    assert.deepEqual(image.ledger, { id: 2, at: AT });
    assert.deepEqual(image.scan, { scanner: 'trivy 0.69.1', at: Date.parse('2026-11-19T02:00:00Z') });

    const names = ['CVE-2026-1001', 'CVE-2026-1002', 'CVE-2026-9999'].map((cve) => ({ digest: DIGEST, cve }));
    const known = await facts.findings(names);
    assert.deepEqual(known.get(findingKey({ digest: DIGEST, cve: 'CVE-2026-1001' })), {
      packages: [
        { name: 'openssl', installed: '1.0', fixed: '1.1', foundAt: [] },
        { name: 'libssl', installed: '1.0', fixed: null, foundAt: [] },
      ],
      knownExploited: true,
      advisory: null,
    });
    assert.equal(known.get(findingKey({ digest: DIGEST, cve: 'CVE-2026-1002' }))?.knownExploited, null);
    assert.equal(known.size, 2);
  });
});
