import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openKnownPods } from '../../src/app/service/known-pods.ts';
import type { RunningPods } from '../../src/reconcile/index.ts';
import { joinEvent } from '../../src/runtime/index.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const POD = {
  ...{ namespace: 'shop', name: 'job-1', uid: 'uid-1', workload: 'job/job' },
  containers: [{ name: 'job', role: 'main', image: 'acme/job:1', digest: DIGEST, id: 'abcdef012345ffff' }],
};

test('a pod that ended between two events that are far apart is known when its event is decided', async () => {
  let now = 0;
  let standing: readonly unknown[] = [];
  let synced = false;
  const running = { list: async () => ({ complete: true, pods: standing }) } as unknown as RunningPods;
  const { now: pods, jobs } = openKnownPods(running, { clock: { now: () => now }, synced: () => synced });
  const [job] = jobs;
  assert.ok(job);
  assert.equal(job.mayRun?.(), false, 'nothing is known before the pods were read');
  synced = true;
  assert.deepEqual([job.mayRun?.(), job.leaderOnly], [true, false]);
  await pods();
  now = 3_600_000;
  standing = [POD];
  await job.run(AbortSignal.timeout(1000));
  standing = [];
  now += 4000;
  const event = {
    fields: new Map([
      ['k8s.ns.name', 'shop'],
      ['k8s.pod.name', 'job-1'],
      ['container.id', 'abcdef012345'],
    ]),
  };
  const { basis, digest, podUid } = joinEvent(event, await pods());
  assert.deepEqual([basis, digest, podUid], ['pod', DIGEST, 'uid-1']);
  now += 11 * 60_000;
  assert.equal(joinEvent(event, await pods()).basis, 'none');
});
