import assert from 'node:assert/strict';
import { clusterPodStopper, clusterReplacements, openReads } from '../../src/adapters/kubernetes/index.ts';
import { eventually, onEveryServer, realTime, silent } from './servers.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

onEveryServer(
  'a pod is read with what it runs and belongs to, with what would replace it, and is stopped as long as it is itself',
  async (_, { api, put, name, atEnd, fake }) => {
    const namespace = name('shop');
    const labels = { app: 'web' };
    const spec = { containers: [{ name: 'main', image: 'ghcr.io/acme/web:1' }] };
    await put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const set = await put({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        ...{ name: 'web-5d', namespace, labels },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true },
        ],
      },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    const owner = {
      ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d', controller: true },
      uid: set.metadata?.uid,
    };
    const made = await put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-5d-1', namespace, labels, ownerReferences: [owner] },
      spec,
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            ...{ name: 'main', image: 'ghcr.io/acme/web:1', imageID: `ghcr.io/acme/web@${DIGEST}` },
            ...{ ready: true, restartCount: 0, state: {}, lastState: {} },
          },
        ],
      },
    });
    await put({ apiVersion: 'v1', kind: 'Node', metadata: { name: name('node') } });
    const reads = openReads({ api, clock: realTime, log: silent, onPolicies: () => {} });
    atEnd(() => reads.stop());
    await assert.rejects(reads.runningPods.list(), /were not read yet/);
    reads.start();
    assert.equal(await reads.untilSynced(30_000), true);
    const own = async () => {
      const { complete, pods } = await reads.runningPods.list();
      assert.equal(complete, true);
      return pods.filter((one) => one.namespace === namespace);
    };
    const [pod] = await own();
    assert.ok(pod);
    assert.deepEqual(
      [pod.workload, pod.uid, pod.containers.map(({ digest }) => digest)],
      ['deployment/web', made.metadata?.uid, [DIGEST]],
    );
    assert.equal(await reads.readyNodes.count(), 0, 'a node that never said that it is ready');
    const replacement = await clusterReplacements(api).of(pod);
    assert.equal(replacement?.spec.containers?.[0]?.image, 'ghcr.io/acme/web:1');
    assert.deepEqual([...(replacement?.labels ?? [])], [['app', 'web']]);

    const stopper = clusterPodStopper(api);
    assert.equal(await stopper.stop({ ...pod, uid: '00000000-0000-4000-8000-000000000000' }), 'gone');
    assert.equal(await stopper.stop({ ...pod, name: 'none' }), 'gone');
    assert.equal((await own()).length, 1);
    assert.equal(await stopper.stop(pod), 'stopped');
    await eventually(async () => (await own()).length === 0);
    if (fake !== null) assert.equal(reads.states().filter(({ synced }) => synced).length, 9);
  },
);
