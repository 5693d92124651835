import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../src/adapters/kubernetes/index.ts';
import { openCluster } from '../../src/app/cluster/cluster.ts';
import { clusterSettings } from '../../src/app/config/cluster.ts';
import { byCodeUnit } from '../../src/base/index.ts';
import { microTime } from '../../src/base/index.ts';
import { parsePolicyValue } from '../../src/policy/index.ts';
import { openImages, readPolicies } from '../../src/inventory/index.ts';
import {
  fenceWrites,
  imageStore,
  policyReads,
  policyStore,
  recordScan,
  underLeadership,
  type Store,
} from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { append, finding, scanOf } from '../store/image-records.ts';
import type { Json } from './fake/objects.ts';
import { benchOf, eventually, openFake, plainConnection, silent } from './servers.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

forEachEngine('the operator joined with its cluster', (engine) => {
  test('it reads policies, leads, writes statuses and reports, tells events, and gives its Lease back', async (t) => {
    const { fake, url } = await openFake();
    const { api } = benchOf(t, () => plainConnection(url), fake);
    const plain = await engine.open(t);
    const store = fenceWrites(plain);
    fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ipo-system' } });
    fake.seed({
      ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'baseline' } },
      spec: { enforcement: 'Enforce', allowedRegistries: ['ghcr.io/acme'] },
    });
    const cluster = await openCluster({
      ...{
        store,
        settings: clusterSettings.parse({ policyReports: 'wgpolicy' }),
        clusterName: 'test',
        version: '1',
        connection: plainConnection(url),
      },
      ...{ clock: { now: () => Date.now() }, log: silent, count: { add() {} } },
      times: { lease: 2_000, renewDeadline: 1_500, retry: 200 },
    });
    assert.match(cluster.unready() ?? '', /policies of the cluster were not read yet/);
    cluster.start();
    await eventually(() => cluster.unready() === null && cluster.leader.isLeader());
    assert.deepEqual(
      cluster.policies.current()?.map(({ name }) => name),
      ['baseline'],
    );
    assert.equal(cluster.policies.staleSince(), null);
    const job = (name: string): Promise<void> => {
      const found = cluster.jobs.find((one) => one.name === name);
      assert.ok(found);
      return underLeadership(cluster.leader.fence(), () => found.run(new AbortController().signal));
    };
    await job('policy-status');
    const policies = policyStore(plain);
    assert.equal((await policies.get('baseline'))?.revision, cluster.policies.current()?.[0]?.revision);
    const object = await api.call<KubeObject & { status: { conditions: { status: string }[] } }>({
      ...{ method: 'GET', path: '/apis/ipo.dev/v1/imagepolicies/baseline', what: 'it' },
    });
    assert.equal(object.status.conditions[0]?.status, 'True');

    // An API write is seen by the watch like any other.
    const { policy, document } = parsePolicyValue({
      ...{
        apiVersion: 'ipo.dev/v1',
        kind: 'ImagePolicy',
        metadata: { name: 'baseline' },
        spec: { enforcement: 'Audit' },
      },
    });
    const written = await cluster.policyStore.replace(
      { name: 'baseline', document, revision: policy.revision, at: 1, by: 'user:1' },
      'any',
    );
    assert.equal(written.kind, 'replaced');
    await eventually(() => cluster.policies.current()?.[0]?.revision === policy.revision);
    assert.equal((await policies.revisions('baseline', { limit: null, offset: 0 })).total, 2);

    await seeImage(plain);
    await job('image-reports');
    const report = await api.find<{ status: { state: string } }>({
      ...{
        method: 'GET',
        path: `/apis/ipo.dev/v1/clusterimagereports/${DIGEST.replace(':', '-')}`,
        what: 'it',
      },
    });
    assert.equal(report?.status.state, 'Compliant');
    fake.define(wgpolicyDefinition());
    await job('policy-reports');
    const results = await api.find<{ summary: { pass: number } }>({
      ...{
        method: 'GET',
        path: '/apis/wgpolicyk8s.io/v1alpha2/namespaces/shop/policyreports/image-policy-operator',
        what: 'it',
      },
    });
    assert.equal(results?.summary.pass, 1);

    cluster.podEvents.happened({
      kind: 'unreviewed',
      namespace: 'shop',
      pod: 'a',
      podUid: 'u',
      message: 'no review of it',
    });
    cluster.reviewEvents.happened({
      kind: 'denied',
      allowed: false,
      namespace: 'shop',
      pod: 'b',
      podUid: null,
      owner: null,
      message: 'registry not allowed: x',
    });
    const events = fake.kindOf('events.k8s.io/v1', 'Event');
    await eventually(() => fake.objects.list(events, 'shop').length === 2);
    assert.deepEqual(
      fake.objects
        .list(events, 'shop')
        .map((one) => String(one['reason']))
        .toSorted(byCodeUnit),
      ['ImageDenied', 'Unreviewed'],
    );
    await cluster.close();
    assert.equal(cluster.leader.isLeader(), false);
    const lease = fake.objects.list(fake.kindOf('coordination.k8s.io/v1', 'Lease'), 'ipo-system')[0];
    assert.equal((lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity, '');
    assert.equal(fake.watches, 0);
    assert.match(microTime(0), /\.000000Z$/);
  });
});

/** An image that was scanned, admitted just now, and judged. */
async function seeImage(store: Store): Promise<void> {
  const at = Date.now();
  const scan = scanOf([finding('CVE-2026-1', 'HIGH')]);
  await store.write((transaction) =>
    recordScan(transaction, { digest: DIGEST, names: ['ghcr.io/acme/web:1'], source: null, scan, at }),
  );
  await append(store, [{ digest: DIGEST, at, cluster: 'test' }]);
  const policies = readPolicies(policyReads(store), 'AllowAndScan');
  const clock = { now: () => at };
  await openImages({ store: imageStore(store), policies, coldImagePolicy: 'AllowAndScan', clock }).refresh();
}

function wgpolicyDefinition(): Json {
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    ...{
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'policyreports.wgpolicyk8s.io' },
    },
    spec: {
      ...{
        group: 'wgpolicyk8s.io',
        scope: 'Namespaced',
        names: { kind: 'PolicyReport', plural: 'policyreports' },
      },
      versions: [{ name: 'v1alpha2', schema: { openAPIV3Schema: any } }],
    },
  };
}
