import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { clusterPodStopper, clusterReplacements, openReads } from '../../src/adapters/kubernetes/index.ts';
import { digestOfImageId as digestOf } from '../../src/pods/index.ts';
import type { PolicyObject } from '../../src/cluster/index.ts';
import type { Json } from './fake/objects.ts';
import { StatusError } from './fake/status-error.ts';
import { benchOf, eventually, openFake, plainConnection, realTime, silent } from './servers.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

const pod = (name: string, more: { metadata?: Json; spec?: Json; status?: Json } = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', labels: { app: 'checkout' }, ...more.metadata },
  spec: { containers: [{ name: 'main', image: 'ghcr.io/acme/shop:1' }], ...more.spec },
  status: {
    phase: 'Running',
    containerStatuses: [
      { name: 'main', imageID: `ghcr.io/acme/shop@${DIGEST}`, containerID: 'containerd://c0ffee' },
    ],
    ...more.status,
  },
});

const owned = (kind: string, name: string, apiVersion = 'apps/v1', uid = 'u1'): Json => ({
  ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
});

async function opened(t: TestContext, seed: readonly Json[]) {
  const { fake, url } = await openFake();
  for (const object of seed) fake.seed(structuredClone(object));
  const bench = benchOf(t, () => plainConnection(url), fake);
  const policies: (readonly PolicyObject[])[] = [];
  const reads = openReads({
    api: bench.api,
    clock: realTime,
    log: silent,
    onPolicies: (objects) => policies.push(objects),
  });
  bench.atEnd(() => reads.stop());
  reads.start();
  assert.equal(await reads.untilSynced(10_000), true);
  return { fake, bench, reads, policies };
}

test('running pods come with their digests, owners and what a sweep asks of them', async (t) => {
  const { reads } = await opened(t, [
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'checkout-5d', namespace: 'shop', ...owned('Deployment', 'checkout') },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'nightly-1', namespace: 'shop', ...owned('CronJob', 'nightly', 'batch/v1') },
    },
    pod('a', { metadata: owned('ReplicaSet', 'checkout-5d') }),
    pod('b', {
      metadata: owned('Job', 'nightly-1', 'batch/v1'),
      status: { phase: 'Succeeded', containerStatuses: [] },
    }),
    pod('c', {
      metadata: {
        annotations: { 'kubernetes.io/config.mirror': 'x', 'ipo.dev/break-glass': 'fire' },
        ...owned('Node', 'n1', 'v1'),
      },
    }),
    pod('d', {
      spec: {
        initContainers: [{ name: 'main', image: 'init' }],
        ephemeralContainers: [{ name: 'debug', image: 'busybox' }],
        volumes: [{ name: 'model', image: { reference: 'ghcr.io/acme/model:1' } }],
      },
      status: {
        initContainerStatuses: [
          { name: 'main', imageID: `docker-pullable://x/init@sha256:${'b'.repeat(64)}` },
        ],
      },
    }),
  ]);
  const { complete, pods } = await reads.runningPods.list();
  assert.equal(complete, true);
  const told = new Map(pods.map((one) => [one.name, one]));
  assert.deepEqual(
    pods.map(({ name, workload }) => [name, workload]),
    [
      ['a', 'deployment/checkout'],
      ['b', 'cronjob/nightly'],
      ['c', 'node/n1'],
      ['d', 'pod/d'],
    ],
  );
  assert.deepEqual(told.get('a')?.containers, [
    { name: 'main', role: 'main', image: 'ghcr.io/acme/shop:1', digest: DIGEST, id: 'c0ffee' },
  ]);
  assert.deepEqual([told.get('b')?.finished, told.get('b')?.containers[0]?.digest], [true, null]);
  assert.deepEqual([told.get('c')?.mirror, told.get('c')?.breakGlassReason], [true, 'fire']);
  assert.deepEqual(
    told.get('d')?.containers.map(({ role, digest }) => [role, digest?.slice(7, 9) ?? null]),
    [
      ['init', 'bb'],
      ['main', 'aa'],
      ['ephemeral', null],
      ['volume', null],
    ],
  );
  assert.ok(Math.abs((told.get('a')?.createdAt ?? 0) - Date.now()) < 60_000);
});

test('the digest of an imageID is that of the registry, and of an image that was never pulled none', () => {
  assert.equal(digestOf(`docker.io/library/nginx@${DIGEST}`), DIGEST);
  assert.equal(digestOf(`docker-pullable://nginx@${DIGEST}`), DIGEST);
  for (const none of [
    DIGEST,
    `docker://${DIGEST}`,
    '',
    'nginx@sha256:abc',
    `nginx@sha512:${'a'.repeat(128)}`,
  ])
    assert.equal(digestOf(none), null);
});

test('what exposes a pod follows Services and Ingresses as they change', async (t) => {
  const { fake, bench, reads } = await opened(t, [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'inner', namespace: 'shop' },
      spec: { type: 'ClusterIP', selector: { app: 'checkout' } },
    },
  ]);
  const labels = new Map([['app', 'checkout']]);
  assert.equal(reads.exposure.of('shop', labels), null);
  const ingress = fake.seed({
    ...{
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'front', namespace: 'shop' },
    },
    spec: { rules: [{ http: { paths: [{ backend: { service: { name: 'inner' } } }] } }] },
  });
  await eventually(() => reads.exposure.of('shop', labels) === 'Ingress shop/front');
  assert.equal(reads.exposure.of('pay', labels), null);
  await bench.put({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'outer', namespace: 'shop' },
    spec: { type: 'LoadBalancer', selector: { app: 'checkout' } },
  });
  await eventually(() => reads.exposure.of('shop', labels) === 'Service shop/outer');
  fake.objects.remove(fake.kindOf('networking.k8s.io/v1', 'Ingress'), ingress);
});

test('only ready nodes are counted, and none while the API server is away for long', async (t) => {
  const node = (name: string, status: string): Json => ({
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name } },
    status: { conditions: [{ type: 'Ready', status }] },
  });
  const { reads } = await opened(t, [node('a', 'True'), node('b', 'Unknown'), node('c', 'True')]);
  assert.equal(await reads.readyNodes.count(), 2);
  const { fake, url } = await openFake();
  const { api, atEnd } = benchOf(t, () => plainConnection(url), fake);
  const shifted = { ahead: 0 };
  const clock = { ...realTime, now: () => Date.now() + shifted.ahead };
  const old = openReads({ api, clock, log: silent, onPolicies: () => {} });
  atEnd(() => old.stop());
  assert.equal(await old.readyNodes.count(), null);
  old.start();
  await old.untilSynced(10_000);
  assert.equal(await old.readyNodes.count(), 0);
  fake.faults.answer = () => new StatusError(503, 'ServiceUnavailable', 'away');
  fake.endWatches();
  await eventually(() => old.states().every(({ staleSince }) => staleSince !== null));
  assert.equal(await old.readyNodes.count(), 0, 'it was up to date a moment ago');
  shifted.ahead = 121_000;
  assert.equal(await old.readyNodes.count(), null);
  assert.equal((await old.runningPods.list()).complete, false);
});

test('a pod that cannot be read makes the list incomplete instead of going unseen', async (t) => {
  const { fake, reads } = await opened(t, [pod('a')]);
  const odd = fake.seed(pod('odd', { spec: { containers: 'none' } }));
  fake.seed(pod('b'));
  await eventually(async () => (await reads.runningPods.list()).pods.length === 2);
  assert.equal((await reads.runningPods.list()).complete, false);
  fake.objects.remove(fake.kindOf('v1', 'Pod'), odd);
  await eventually(async () => (await reads.runningPods.list()).complete);
});

test('policies are told whole after each change', async (t) => {
  const { fake, policies } = await opened(t, [
    { apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'a' }, spec: {} },
  ]);
  assert.deepEqual(
    policies.at(-1)?.map(({ name }) => name),
    ['a'],
  );
  fake.seed({ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'b' }, spec: {} });
  await eventually(() => policies.at(-1)?.length === 2);
});

test('what would replace a pod is its controller as it stands, and nothing where that makes none', async (t) => {
  const template = {
    metadata: { labels: { app: 'x' } },
    spec: { containers: [{ name: 'main', image: 'next' }] },
  };
  const replicaSet = (name: string, spec: Json, status: Json, metadata: Json = {}): Json => ({
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name, namespace: 'shop', ...metadata } },
    ...{ spec: { template, ...spec }, status },
  });
  const { fake, bench, reads } = await opened(t, []);
  const replacements = clusterReplacements(bench.api);
  const ask = async (name: string, metadata: Json): Promise<string | null> => {
    fake.seed(pod(name, { metadata }));
    await eventually(async () => (await reads.runningPods.list()).pods.some((one) => one.name === name));
    const one = (await reads.runningPods.list()).pods.find((candidate) => candidate.name === name);
    assert.ok(one);
    return (await replacements.of(one))?.spec.containers?.[0]?.image ?? null;
  };
  const full = fake.seed(replicaSet('full', { replicas: 2 }, { replicas: 2 }));
  assert.equal(await ask('a', owned('ReplicaSet', 'full', 'apps/v1', full.metadata.uid)), 'next');
  assert.equal(await ask('b', owned('ReplicaSet', 'full', 'apps/v1', 'another')), null);
  const shrinking = fake.seed(replicaSet('shrinking', { replicas: 1 }, { replicas: 2 }));
  assert.equal(await ask('c', owned('ReplicaSet', 'shrinking', 'apps/v1', shrinking.metadata.uid)), null);
  const empty = fake.seed(replicaSet('empty', { replicas: 0 }, {}));
  assert.equal(await ask('d', owned('ReplicaSet', 'empty', 'apps/v1', empty.metadata.uid)), null);
  const leaving = fake.seed(
    replicaSet('leaving', { replicas: 1 }, { replicas: 1 }, { deletionTimestamp: '2026-11-20T10:00:00Z' }),
  );
  assert.equal(await ask('e', owned('ReplicaSet', 'leaving', 'apps/v1', leaving.metadata.uid)), null);
  assert.equal(await ask('f', owned('Job', 'nightly', 'batch/v1')), null);
  assert.equal(await ask('g', {}), null);
});

test('a pod is stopped only while it has the uid that was judged', async (t) => {
  const { fake, bench } = await opened(t, []);
  const stopper = clusterPodStopper(bench.api);
  const one = fake.seed(pod('a'));
  const named = { namespace: 'shop', name: 'a' };
  assert.equal(await stopper.stop({ ...named, uid: 'another' }), 'gone');
  fake.faults.answer = ({ method }) => (method === 'DELETE' ? new StatusError(403, 'Forbidden', 'no') : null);
  assert.equal(await stopper.stop({ ...named, uid: one.metadata.uid }), 'refused');
  fake.faults.answer = null;
  assert.equal(await stopper.stop({ ...named, uid: one.metadata.uid }), 'stopped');
  assert.equal(await stopper.stop({ ...named, uid: one.metadata.uid }), 'gone');
});
