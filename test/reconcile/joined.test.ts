import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openReconcile, type ReconcileOptions } from '../../src/app/service/reconcile.ts';
import { settingsSchema } from '../../src/app/config/settings.ts';
import type { Policy } from '../../src/policy/index.ts';
import { underLeadership } from '../../src/store/leadership/fenced-writes.ts';
import { policyMirror } from '../../src/store/policies/mirror.ts';
import { raiseClusterFence } from '../../src/store/leadership/cluster-fence.ts';
import { forEachEngine } from '../store/engines.ts';
import { append } from '../store/image-records.ts';
import { SweepHarness } from './harness.ts';
import { AT, BAD, container, podOf, policy } from './parts.ts';

forEachEngine('the reconciliation joined with its cluster', (engine) => {
  test('pods are judged by the policies of their own cluster, not by those that the database has of another', async (t) => {
    const store = await engine.open(t);
    const h = await SweepHarness.open(store);
    await h.scanned(BAD, ['CRITICAL']);
    const fence = await raiseClusterFence(store, 'eu', 'a', AT);
    const lax = { severityThreshold: 'NONE' };
    const document = { apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'us' }, spec: lax };
    const { revision } = policy(lax, 'us');
    await policyMirror(store).replace(fence, [{ name: 'us', document, revision, at: AT, by: null }], [], 200);
    let current: readonly Policy[] | null = null;
    const options = {
      ...{ store, appender: h.ledger, log: h.log, count: h.counted, clock: { now: () => AT } },
      settings: settingsSchema.parse({ clusterName: 'eu' }),
      cluster: {
        ...{ namespace: 'ipo', leadsCluster: () => true },
        leader: { isLeader: () => true, fence: () => fence },
        policies: { current: () => current, staleSince: () => null },
        reads: {
          runningPods: {
            list: async () => ({ complete: true, pods: [podOf(1, { containers: [container(BAD)] })] }),
          },
          exposure: { of: () => null },
          readyNodes: { count: async () => 1 },
        },
        ...{ replacements: { of: async () => null }, podEvents: { happened: () => {} } },
        stopper: { stop: () => assert.fail('nothing may be stopped') },
      },
      account: async () => ({ whole: true, since: null, holders: [] }),
      ...{ scans: { want: () => {} }, tags: { digestOf: async () => null } },
    } as unknown as ReconcileOptions;
    const { reconciliation, jobs } = openReconcile(options);
    await assert.rejects(reconciliation.run(), /policies of the cluster were not read yet/);
    current = [policy({}, 'own')];
    assert.equal((await reconciliation.run())?.refused, 1);
    current = [];
    assert.equal((await reconciliation.run())?.refused, 0);
    // The meter is the database's: a leader's job, whose writes are refused once there is another.
    const follow = jobs.find(({ name }) => name === 'meter');
    const run = (): Promise<void> =>
      underLeadership(fence, async () => follow?.run(new AbortController().signal));
    await run();
    await append(store, [{ digest: BAD, at: AT }]);
    await raiseClusterFence(store, 'us', 'b', AT);
    await assert.rejects(run(), /another process leads/);
  });
});
