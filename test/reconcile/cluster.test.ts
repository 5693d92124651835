import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { clusterPodStopper, clusterReplacements, openReads } from '../../src/adapters/kubernetes/index.ts';
import type { Json } from '../kubernetes/fake/objects.ts';
import { benchOf, eventually, openFake, plainConnection, realTime, silent } from '../kubernetes/servers.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { SweepHarness } from './harness.ts';
import { AT, BAD, CLEAN, policy } from './parts.ts';

const SECURE = { runAsNonRoot: true };

function podObject(name: string, digest: string, more: Json = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels: { app: 'web' }, ...more },
    spec: { containers: [{ name: 'web', image: 'ghcr.io/acme/web:1', securityContext: SECURE }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'web', imageID: `ghcr.io/acme/web@${digest}` }],
    },
  };
}

/** A sweep over what the operator's own informers read of a fake API server. */
async function joined(engine: TestEngine, t: TestContext) {
  const { fake, url } = await openFake();
  const bench = benchOf(t, () => plainConnection(url), fake);
  const reads = openReads({ api: bench.api, clock: realTime, log: silent, onPolicies: () => {} });
  bench.atEnd(() => reads.stop());
  reads.start();
  assert.equal(await reads.untilSynced(10_000), true);
  const h = await SweepHarness.open(await engine.open(t));
  h.now = Date.now();
  await h.scanned(CLEAN, [], AT);
  await h.scanned(BAD, ['CRITICAL'], AT);
  const service = h.service({
    pods: reads.runningPods,
    exposure: reads.exposure,
    replacements: clusterReplacements(bench.api),
    stopper: clusterPodStopper(bench.api),
  });
  return { fake, reads, h, service };
}

forEachEngine('a sweep of a cluster', (engine) => {
  test('500 pods that the API server admitted without asking: 500 unreviewed rows within one sweep', async (t) => {
    const { fake, reads, h, service } = await joined(engine, t);
    h.policies = [policy()];
    for (let n = 0; n < 500; n += 1) fake.seed(podObject(`web-${n}`, CLEAN));
    await eventually(async () => (await reads.runningPods.list()).pods.length === 500);
    const result = await h.sweep(service);
    assert.deepEqual([result.pods, result.unreviewed, result.whole], [500, 500, true]);
    const rows = await h.rows('unreviewed');
    assert.equal(new Set(rows.map(({ pod }) => pod)).size, 500);
    assert.deepEqual([(await h.sweep(service)).unreviewed, rows.length], [0, 500]);
  });

  test('a refused pod goes when its controller would make one that is admitted, and stays otherwise', async (t) => {
    const template = { metadata: { labels: { app: 'web' } }, spec: podObject('x', CLEAN).spec };
    const { fake, reads, h, service } = await joined(engine, t);
    const set = fake.seed({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 1, template },
      status: { replicas: 1 },
    });
    const owner = (name: string, uid: string): Json => ({
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true }],
    });
    fake.seed(podObject('web-0', BAD, owner('web', set.metadata.uid)));
    fake.seed(podObject('bare', BAD));
    fake.seed(podObject('gone-0', BAD, owner('web', 'a-set-that-was-before')));
    await eventually(async () => (await reads.runningPods.list()).pods.length === 3);
    h.policies = [policy({ runtimeReconciliation: 'enforce' })];
    h.tags = { 'ghcr.io/acme/web:1': CLEAN };
    const result = await h.sweep(service);
    assert.deepEqual([result.refused, result.stopped, result.withheld], [3, 1, 2]);
    const left = fake.objects.list(fake.kindOf('v1', 'Pod'), 'shop').map(({ metadata }) => metadata.name);
    assert.deepEqual(left.toSorted(), ['bare', 'gone-0']);
  });
});
