import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterJobs, type ClusterJobsParts } from '../../src/app/cluster/jobs.ts';
import { scanObstacles } from '../../src/app/scanning/obstacles.ts';
import { EventRecorder, type EventSeries } from '../../src/cluster/index.ts';
import { SCAN_FAILURES } from '../../src/findings/index.ts';
import type { RunningPod } from '../../src/reconcile/index.ts';
import { AdmissionScanFailures } from '../../src/store/admission/scan-failures.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { keptLog } from '../api/service.ts';
import { VirtualProcess, VirtualTime } from '../cluster/virtual.ts';
import { forEachEngine } from '../store/engines.ts';
import { AT, digestOf } from '../store/image-records.ts';

const MINUTE = 60_000;

/** Pods of so many workloads, each of an image of its own, so many to a namespace. */
function podsOf(count: number, perNamespace: number): readonly RunningPod[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ namespace: `shop-${Math.floor(n / perNamespace)}`, name: `web-${n}`, uid: `pod-${n}` },
    ...{ createdAt: AT, deleting: false, finished: false, mirror: false, spec: {} },
    ...{ workload: `deployment/web-${n}`, labels: new Map(), breakGlassReason: null },
    controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `web-${n}`, uid: `rs-${n}` },
    containers: [{ name: 'web', role: 'main', image: `ghcr.io/acme/web:${n}`, digest: digestOf(n + 1) }],
  })) as unknown as readonly RunningPod[];
}

async function failAll(store: Store, count: number): Promise<void> {
  await store.write(async (transaction) => {
    for (let n = 0; n < count; n += 1)
      await runText(
        transaction,
        `insert into scan_failures (digest, platform, reason, message, since, last_at, attempts) values (?, '', 'crashed', ?, ?, ?, 1)`,
        [digestOf(n + 1), `exit ${n}`, AT, AT + n],
      );
  });
}

/** The job of an operator with the recorder that it has, over virtual time. */
function operatorOf(store: Store, pods: readonly RunningPod[]) {
  const time = new VirtualTime();
  const created: EventSeries[] = [];
  const state = { refuses: false, dropped: 0 };
  let ids = 0;
  const clock = new VirtualProcess(time);
  const events = new EventRecorder({
    sink: {
      create: async (series) => {
        if (state.refuses) throw new Error('the API server is away');
        created.push(series);
      },
      again: async () => true,
    },
    ...{ clock, log: keptLog(), count: { add: () => void (state.dropped += 1) } },
    newId: () => String((ids += 1)),
  });
  const { jobs } = clusterJobs({
    ...{ api: {}, store, clusterName: null, policies: {}, electionClock: {}, log: keptLog(), events },
    settings: { trivyOperator: false, imageReports: false, policyReports: 'off' },
    ...{
      election: { leadsCluster: () => true },
      runningPods: { list: async () => ({ complete: true, pods }) },
      clock: { now: () => AT + time.at },
    },
  } as unknown as ClusterJobsParts);
  const job = jobs.find(({ name }) => name === 'scan-failure-events') ?? assert.fail();
  const told = (): readonly string[] => created.map(({ event }) => event.regarding.uid ?? '');
  return {
    ...{ state, told },
    async run(minutes: number) {
      for (let minute = 0; minute < minutes; minute += 1) {
        await job.run(new AbortController().signal);
        await time.pass(MINUTE);
      }
    },
  };
}

forEachEngine('events of running images that cannot be scanned', (engine) => {
  test('are told of each workload of a namespace, however many the recorder takes at once', async (t) => {
    const store = await engine.open(t);
    await failAll(store, 60);
    const { run, told, state } = operatorOf(store, podsOf(60, 60));
    await run(1);
    assert.equal(told().length, 25);
    await run(1);
    assert.equal(told().length, 31, 'six a minute');
    await run(8);
    assert.deepEqual([told().length, new Set(told()).size], [60, 60]);
    assert.ok(state.dropped <= 10, `${state.dropped} are dropped of what is only put off`);
    await run(60);
    assert.equal(told().length, 60, 'once each, for six hours');
  });

  test('are told once the API server takes them', async (t) => {
    const store = await engine.open(t);
    await failAll(store, 3);
    const { run, told, state } = operatorOf(store, podsOf(3, 3));
    state.refuses = true;
    await run(3);
    state.refuses = false;
    assert.equal(told().length, 0);
    await run(3);
    assert.deepEqual([told().length, new Set(told()).size], [3, 3]);
  });

  test('and the hints of denials leave none out, however many images fail', async (t) => {
    const store = await engine.open(t);
    const count = 2100;
    await failAll(store, count);
    const { run, told } = operatorOf(store, podsOf(count, 20));
    await run(2);
    assert.deepEqual([told().length, new Set(told()).size], [count, count]);

    const memory = new AdmissionScanFailures(store);
    await memory.refresh();
    const obstacles = scanObstacles(memory);
    const whys = Array.from({ length: count }, (_, n) => obstacles.of(digestOf(n + 1), null)?.why);
    const { means } = SCAN_FAILURES.crashed;
    assert.deepEqual(
      [whys[count - 1], whys[100], whys[99], whys[0]],
      [`${means}: exit ${count - 1}`, `${means}: exit 100`, means, means],
    );
  });
});
