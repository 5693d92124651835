import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HealthBody } from '../../src/api/contract/health.ts';
import type { ServiceClient } from '../../src/adapters/service/index.ts';
import { append } from '../store/image-records.ts';
import { startFakeRegistry } from '../registry/fake-registry.ts';
import { imageOf } from '../registry/images.ts';
import { startRunning } from '../app/running.ts';
import { noData, realReport, standInTrivy } from './stand-in-trivy.ts';

const IMAGE = imageOf('web').manifest;
const DIGEST = IMAGE.digest;

interface Detail {
  readonly state: string;
  readonly scan: { readonly scanner: { name: string; version: string; db_updated_at: string } } | null;
}

/** Asks until it is as wanted: the jobs run in their own time. */
async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  for (let turn = 0; turn < 20_000; turn += 1) {
    const answer = await ask();
    if (wanted(answer)) return answer;
  }
  throw new assert.AssertionError({ message: 'it never became so' });
}

const healthOf = async (client: ServiceClient): Promise<HealthBody> =>
  (await client.json<HealthBody>('GET /system/health')).body;

test(
  'a service fetches the database, scans what is asked for, and an administrator refreshes it',
  { skip: noData },
  async (t) => {
    const report = realReport('golden/alpine-310.json');
    const standIn = standInTrivy(t, { report, database: '2026-11-20T00:00:00Z', version: '0.72.0' });
    const registry = await startFakeRegistry(t);
    registry.manifests.set(`acme/web ${DIGEST}`, { type: IMAGE.mediaType, bytes: IMAGE.bytes });
    const running = await startRunning(t, {
      env: {
        ...{ IPO_SCANNER_KIND: 'trivy', IPO_SCANNER_PROGRAM: standIn.program },
        IPO_REGISTRIES_HOSTS: JSON.stringify([{ host: registry.host, plainHttp: true }]),
      },
    });
    const { as, service } = running;
    const viewer = as('viewer');
    const health = await until(
      () => healthOf(viewer),
      ({ trivy_db_state }) => trivy_db_state.updated_at !== undefined,
    );
    assert.equal(health.trivy_db_state.updated_at, '2026-11-20T00:00:00Z');
    assert.match(health.vulnerability_database_age ?? '', /^\d+[mh] old$/);

    await append(service.store, [{ digest: DIGEST, image: `${registry.host}/acme/web:1` }]);
    const image = async (): Promise<Detail> =>
      (await viewer.json<Detail>('GET /images/{digest}', { params: { digest: DIGEST } })).body;
    assert.equal((await image()).state, 'Unscanned');
    await as('deployer').json('POST /images/scan', { body: { digests: [DIGEST] } });
    const scanned = await until(image, ({ state }) => state !== 'Unscanned');
    assert.ok(JSON.stringify(scanned).includes('2026-11-20T00:00:00Z'), 'with which database');
    assert.equal(standIn.scans().at(-1)?.args.at(-1), `${registry.host}/acme/web@${DIGEST}`);

    standIn.plan({ report, database: '2026-11-20T06:00:00Z' });
    const administrator = as('administrator');
    const { body } = await administrator.json<{ catalogues: { name: string; outcome: string }[] }>(
      'POST /catalogues/refresh',
    );
    assert.equal(body.catalogues.find(({ name }) => name === 'trivy_db')?.outcome, 'updated');
    standIn.plan({ report, download: 'failed to download vulnerability DB: no such host' });
    const failed = await administrator.json<{
      catalogues: { name: string; outcome: string; message?: string }[];
    }>('POST /catalogues/refresh');
    const trivy = failed.body.catalogues.find(({ name }) => name === 'trivy_db');
    assert.deepEqual([trivy?.outcome, /no such host/.test(trivy?.message ?? '')], ['failed', true]);
    const { trivy_db_state } = await healthOf(viewer);
    assert.equal(trivy_db_state.updated_at, '2026-11-20T06:00:00Z', 'the one that is there stays');
    const { body: audit } = await viewer.json<{ items: { action: string; target: string }[] }>('GET /audit', {
      query: { action: 'vulnerability_db_refresh' },
    });
    assert.deepEqual(
      audit.items.map(({ target }) => target),
      ['trivy_db', 'trivy_db'],
    );
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    assert.match(metrics, /svc_scans_total\{outcome="done"\} 1/);
    assert.match(
      metrics,
      /svc_vulnerability_db_updated_seconds 1795154400|svc_vulnerability_db_updated_seconds 1\.79/,
    );
  },
);
