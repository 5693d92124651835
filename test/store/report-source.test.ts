import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openImages, readPolicies } from '../../src/inventory/index.ts';
import { imageStore } from '../../src/store/images/images.ts';
import { policyReads } from '../../src/store/policies/policies.ts';
import { reportSource } from '../../src/store/replay/report-source.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { triageStore } from '../../src/store/scans/triage.ts';
import { forEachEngine } from './engines.ts';
import { append, AT, digestOf, finding, scanOf } from './image-records.ts';

const HOUR = 3_600_000;

forEachEngine('what reports are made from', (engine) => {
  test('a triage decision that runs out changes the report of its image, as one that is made does', async (t) => {
    const store = await engine.open(t);
    const digest = digestOf(1);
    const scan = scanOf([finding('CVE-2026-1', 'HIGH'), finding('CVE-2026-2', 'HIGH')]);
    await store.write((transaction) =>
      recordScan(transaction, { digest, names: ['ghcr.io/acme/web:1'], source: null, scan, at: AT }),
    );
    await append(store, [{ digest, at: AT, cluster: 'eu' }]);
    const judge = (): Promise<unknown> =>
      openImages({
        store: imageStore(store),
        policies: readPolicies(policyReads(store), 'AllowAndScan'),
        ...{ coldImagePolicy: 'AllowAndScan', clock: { now: () => AT } },
      }).refresh();
    await judge();
    const source = reportSource(store, 'eu');
    const versionAt = async (at: number): Promise<string | undefined> =>
      (await source.images(AT - HOUR, at))[0]?.version;
    const before = await versionAt(AT);
    assert.ok(before !== undefined);
    await triageStore(store).create({
      ...{ digest, cve: 'CVE-2026-1', reason: 'not reachable', triagedBy: 'ann', accountId: null },
      ...{ severity: 'HIGH', createdAt: AT, until: AT + HOUR },
    });
    await judge();
    const during = await versionAt(AT + 1);
    assert.notEqual(during, before);
    assert.equal((await source.image(digest, AT + 1))?.triage.length, 1);
    assert.notEqual(await versionAt(AT + HOUR), during);
    assert.equal((await source.image(digest, AT + HOUR))?.triage.length, 0);
    assert.equal((await reportSource(store, 'us').images(AT - HOUR, AT)).length, 0, 'of another cluster');
  });
});
