import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { KubernetesApi } from '../../src/adapters/kubernetes/index.ts';
import {
  openOperatorReports,
  runningDigests,
  type OperatorReports,
} from '../../src/adapters/trivy-operator/index.ts';
import { ClusterError } from '../../src/cluster/index.ts';
import type { RunningPod } from '../../src/reconcile/index.ts';
import type { NewScan, ScanReport } from '../../src/scan/index.ts';
import { takeReports, type WatchedCounts } from '../../src/scan/watched-reports.service.ts';
import { readScanReports } from '../../src/adapters/trivy/index.ts';
import { eventually, openFake, plainConnection, realTime } from '../kubernetes/servers.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const AT = Date.UTC(2026, 10, 22);
const PATH = '/apis/aquasecurity.github.io/v1alpha1/namespaces/shop/vulnerabilityreports';
const NEVER = new AbortController().signal;

const KIND = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'vulnerabilityreports.aquasecurity.github.io' },
  spec: {
    group: 'aquasecurity.github.io',
    scope: 'Namespaced',
    names: { kind: 'VulnerabilityReport', plural: 'vulnerabilityreports' },
    versions: [
      {
        ...{ name: 'v1alpha1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

function object(
  name: string,
  digest: string | undefined,
  at: string,
  severity = 'HIGH',
): Record<string, unknown> {
  return {
    apiVersion: 'aquasecurity.github.io/v1alpha1',
    kind: 'VulnerabilityReport',
    metadata: {
      name,
      namespace: 'shop',
      labels: {
        'trivy-operator.resource.namespace': 'shop',
        'trivy-operator.resource.kind': 'ReplicaSet',
        'trivy-operator.resource.name': 'web-1',
        'trivy-operator.container.name': 'web',
      },
    },
    report: {
      updateTimestamp: at,
      scanner: { name: 'Trivy', version: '0.72.0' },
      registry: { server: 'ghcr.io' },
      artifact: { repository: 'acme/web', tag: '1', ...(digest !== undefined && { digest }) },
      os: { family: 'debian', name: '13.1' },
      vulnerabilities: [{ vulnerabilityID: 'CVE-1', resource: 'openssl', installedVersion: '1', severity }],
    },
  };
}

interface Watched {
  readonly reports: OperatorReports;
  readonly api: KubernetesApi;
  readonly warnings: string[];
  put(one: Record<string, unknown>): Promise<unknown>;
}

async function watched(t: TestContext, withKind = true): Promise<Watched> {
  const { fake, url } = await openFake();
  if (withKind) fake.define(structuredClone(KIND) as never);
  const api = new KubernetesApi(plainConnection(url), 'test');
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} };
  const reports = openOperatorReports({ api, read: readScanReports, clock: realTime, log });
  t.after(async () => {
    await reports.stop();
    await api.close();
    await fake.close();
  });
  return {
    ...{ reports, api, warnings },
    put: (one) => api.call({ method: 'POST', path: PATH, body: one, what: 'a report' }),
  };
}

/** Waits until something came, since a watch takes its time. */
async function nextOf(reports: OperatorReports): Promise<Awaited<ReturnType<OperatorReports['next']>>> {
  let found: Awaited<ReturnType<OperatorReports['next']>> = [];
  await eventually(async () => (found = await reports.next(10, NEVER)).length > 0);
  return found;
}

test('reports are given once, again when they change, and not once they are gone', async (t) => {
  const { reports, put, api } = await watched(t);
  await put(object('one', DIGEST, '2026-11-20T00:00:00Z'));
  await put(object('two', undefined, '2026-11-20T00:00:00Z'));
  const first = [...(await reports.next(1, NEVER)), ...(await reports.next(10, NEVER))];
  assert.deepEqual(first.map(({ key }) => key).toSorted(), ['shop/one', 'shop/two']);
  const one = first.find(({ key }) => key === 'shop/one');
  assert.deepEqual(one?.report.digests, [{ name: 'ghcr.io/acme/web', digest: DIGEST }]);
  assert.deepEqual(one?.container, {
    namespace: 'shop',
    kind: 'ReplicaSet',
    name: 'web-1',
    container: 'web',
  });
  assert.deepEqual(await reports.next(10, NEVER), []);

  const body = { report: { updateTimestamp: '2026-11-21T00:00:00Z' } };
  await api.call({ method: 'PATCH', patch: 'merge', path: `${PATH}/one`, body, what: 'a report' });
  const changed = await nextOf(reports);
  assert.deepEqual(
    changed.map(({ key, report }) => [key, report.scan.scannedAt]),
    [['shop/one', '2026-11-21T00:00:00Z']],
  );
  reports.again(['shop/one', 'shop/none']);
  await api.call({ method: 'DELETE', path: `${PATH}/one`, what: 'a report' });
  assert.deepEqual(await reports.next(10, NEVER), []);
});

test('one that cannot be read is told once and holds up no other', async (t) => {
  const { reports, put, warnings } = await watched(t);
  await put({ ...object('broken', DIGEST, '2026-11-20T00:00:00Z'), report: { artifact: 5 } });
  await put(object('worst', DIGEST, '2026-11-20T00:00:00Z', 'WORST'));
  await put(object('fine', DIGEST, '2026-11-20T00:00:00Z'));
  assert.deepEqual(
    (await reports.next(10, NEVER)).map(({ key }) => key),
    ['shop/fine'],
  );
  assert.deepEqual(await reports.next(10, NEVER), []);
  assert.equal(warnings.filter((text) => text === 'a VulnerabilityReport cannot be read').length, 2);
});

test('a fault in the middle loses no report', async (t) => {
  const { reports, put, api } = await watched(t);
  for (const name of ['one', 'two', 'three']) await put(object(name, DIGEST, '2026-11-20T00:00:00Z'));
  assert.deepEqual(await reports.next(0, NEVER), []);
  const call = api.call.bind(api);
  let calls = 0;
  api.call = ((request: Parameters<typeof call>[0]) => {
    calls += 1;
    if (calls === 2 || calls === 3) throw new ClusterError('network', 'the API server is away');
    return call(request);
  }) as typeof call;
  const keys = (await reports.next(10, NEVER)).map(({ key }) => key);
  assert.equal(keys.length, 1);
  await assert.rejects(reports.next(10, NEVER), { fault: 'network' });
  keys.push(...(await reports.next(10, NEVER)).map(({ key }) => key));
  assert.deepEqual(keys.toSorted(), ['shop/one', 'shop/three', 'shop/two']);
});

suite('taking reports of a cluster', () => {
  const report = (digest: string | null, scannedAt: string | null): ScanReport => ({
    ...{ file: 'f', artifact: 'ghcr.io/acme/web:1', type: 'container_image', names: ['ghcr.io/acme/web:1'] },
    digests: digest === null ? [] : [{ name: 'ghcr.io/acme/web', digest }],
    ...{ imageId: null, source: null },
    scan: { scannedAt, scanner: null, os: null, findings: [] },
  });
  const container = { namespace: 'shop', kind: 'ReplicaSet', name: 'web-1', container: 'web' };

  async function take(
    one: ScanReport,
    options: { running?: readonly string[]; kept?: number | null; fails?: boolean } = {},
  ): Promise<{ counts: WatchedCounts | null; recorded: readonly NewScan[]; again: readonly string[] }> {
    const recorded: NewScan[] = [];
    const again: string[] = [];
    const left = [{ key: 'shop/one', report: one, container }];
    const taking = takeReports(
      {
        feed: {
          next: async () => left.splice(0),
          again: (keys) => void again.push(...keys),
        },
        scans: {
          prepare: async () => {},
          record: async (scan) => {
            if (options.fails === true) throw new Error('the database is away');
            recorded.push(scan);
            return { outcome: 'current', replaced: false };
          },
        },
        scannedAt: async () => options.kept ?? null,
        running: async () => new Set(options.running ?? []),
        clock: { now: () => AT },
        log: { debug() {}, info() {}, warn() {}, error() {} },
      },
      NEVER,
    );
    const counts = await taking.catch(() => null);
    return { counts, recorded, again };
  }
  const none = { recorded: 0, known: 0, unnamed: 0, refused: 0 };
  const TIME = '2026-11-20T00:00:00Z';

  test('a report is recorded for its own digest, whatever runs now', async () => {
    const { counts, recorded } = await take(report(DIGEST, TIME), { running: [OTHER] });
    assert.deepEqual(counts, { ...none, recorded: 1 });
    assert.deepEqual(
      recorded.map(({ digest, names }) => [digest, names]),
      [[DIGEST, ['ghcr.io/acme/web:1']]],
    );
  });

  test('one without a digest is recorded for what its container runs, if that is only one digest', async () => {
    assert.deepEqual(
      (await take(report(null, TIME), { running: [OTHER] })).recorded.map(({ digest }) => digest),
      [OTHER],
    );
    assert.deepEqual((await take(report(null, TIME))).counts, { ...none, unnamed: 1 });
    assert.deepEqual((await take(report(null, TIME), { running: [OTHER, DIGEST] })).counts, {
      ...none,
      unnamed: 1,
    });
  });

  test('one that is no newer than the scan in use is left out; one that is yet to come is refused', async () => {
    const kept = Date.parse(TIME);
    assert.deepEqual((await take(report(DIGEST, TIME), { kept })).counts, { ...none, known: 1 });
    assert.deepEqual((await take(report(DIGEST, null), { kept })).counts, { ...none, known: 1 });
    assert.deepEqual((await take(report(DIGEST, TIME), { kept: kept - 1 })).counts, { ...none, recorded: 1 });
    assert.deepEqual((await take(report(DIGEST, '2027-01-01T00:00:00Z'))).counts, { ...none, refused: 1 });
  });

  test('what could not be recorded is given again', async () => {
    const { counts, again } = await take(report(DIGEST, TIME), { fails: true });
    assert.deepEqual([counts, again], [null, ['shop/one']]);
  });

  test('what a container runs is certain or nothing', async () => {
    const pod = (
      more: Partial<RunningPod>,
      image = 'ghcr.io/acme/web:1',
      digest: string | null = DIGEST,
    ): RunningPod => ({
      ...{
        namespace: 'shop',
        name: 'web-1-x',
        uid: 'u',
        createdAt: Date.parse(TIME) - 1,
        deleting: false,
        finished: false,
      },
      ...{ mirror: false, labels: new Map(), breakGlassReason: null, workload: 'deployment/web' },
      controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'r' },
      spec: {} as RunningPod['spec'],
      containers: [{ name: 'web', role: 'main', image, digest }],
      ...more,
    });
    const digests = async (
      pods: readonly RunningPod[],
      of: object = {},
      complete = true,
    ): Promise<readonly string[]> => [
      ...(await runningDigests({ list: async () => ({ complete, pods }) })(
        { ...container, ...of },
        report(null, TIME),
      )),
    ];
    assert.deepEqual(await digests([pod({}), pod({})]), [DIGEST]);
    assert.deepEqual(await digests([pod({})], { kind: 'Deployment', name: 'web' }), [DIGEST]);
    assert.deepEqual(await digests([pod({})], { kind: 'Pod', name: 'web-1-x' }), [DIGEST]);
    assert.deepEqual(await digests([pod({}), pod({}, 'ghcr.io/acme/web:1', null)]), []);
    assert.deepEqual(await digests([pod({}, 'ghcr.io/acme/web:2')]), []);
    assert.deepEqual(await digests([pod({}, ':')]), []);
    assert.deepEqual(await digests([pod({ createdAt: AT })]), []);
    assert.deepEqual(await digests([pod({})], { name: 'other' }), []);
    assert.deepEqual(await digests([pod({})], { namespace: 'ci' }), []);
    assert.deepEqual(await digests([pod({})], {}, false), []);
    assert.deepEqual(await digests([pod({ deleting: true }), pod({ finished: true })]), []);
  });
});
