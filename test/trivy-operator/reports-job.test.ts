import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterJobs, type ClusterJobsParts } from '../../src/app/cluster/jobs.ts';
import type { KubernetesApi } from '../../src/adapters/kubernetes/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { keptLog } from '../api/service.ts';
import { realTime } from '../kubernetes/servers.ts';
import { rowsOf } from '../store/image-records.ts';
import { scratchDirectory } from '../app/running.ts';

const REPORTS = 300;

/** An API server that has a report of each of many images. */
function manyReports(asked: () => void): KubernetesApi {
  const metadata = (n: number) => ({ namespace: 'shop', name: `r${n}`, resourceVersion: '1', labels: {} });
  const call = async ({ path }: { readonly path: string }): Promise<unknown> => {
    const one = /\/r(\d+)$/.exec(path)?.[1];
    if (one === undefined)
      return {
        metadata: { resourceVersion: '1' },
        items: Array.from({ length: REPORTS }, (_, n) => ({ metadata: metadata(n) })),
      };
    asked();
    return {
      metadata: metadata(Number(one)),
      report: {
        updateTimestamp: '2026-11-20T00:00:00Z',
        scanner: { name: 'Trivy', version: '0.72.0' },
        registry: { server: 'ghcr.io' },
        artifact: { repository: 'acme/web', tag: one, digest: `sha256:${one.padStart(64, '0')}` },
        os: { family: 'debian', name: '13.1' },
        vulnerabilities: [
          { vulnerabilityID: 'CVE-2026-1', resource: 'openssl', installedVersion: '1', severity: 'HIGH' },
        ],
      },
    };
  };
  const watch = (): Promise<never> => new Promise(() => {});
  return { call, watch, list: call } as unknown as KubernetesApi;
}

test('a service that ends leaves the reports that it has not read to the next', async (t) => {
  const store: Store = await openStore({ url: `sqlite:${scratchDirectory(t)}/ipo.db` });
  const ends = new AbortController();
  let read = 0;
  const jobs = clusterJobs({
    api: manyReports(() => {
      read += 1;
      if (read === 30) ends.abort();
    }),
    store,
    settings: { trivyOperator: true, imageReports: false, policyReports: 'off' },
    clusterName: null,
    policies: {},
    election: { leadsCluster: () => true },
    runningPods: { list: () => [] },
    electionClock: realTime,
    clock: { now: () => Date.UTC(2026, 10, 22) },
    log: keptLog(),
  } as unknown as ClusterJobsParts);
  t.after(async () => {
    await jobs.stop();
    await store.close();
  });
  const job = jobs.jobs.find(({ name }) => name === 'operator-reports');
  assert.ok(job);
  await job.run(ends.signal);
  assert.equal(read, 30);
  // What was read is recorded; the others are met by who leads next.
  const [row] = await rowsOf(store, 'select count(*) as count from scans');
  assert.deepEqual(row, { count: 30 });
});
