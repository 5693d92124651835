import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { hasLostLead } from '../../src/leadership/index.ts';
import { digestOf } from '../../src/reconcile/index.ts';
import { historyReader } from '../../src/store/history/read.ts';
import { runningImages } from '../../src/store/history/tracking-running.ts';
import { raiseClusterFence } from '../../src/store/leadership/cluster-fence.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import type { Severity } from '../../src/findings/index.ts';
import { digestOf as digestOfRecord, rowsOf } from '../store/image-records.ts';
import { SweepHarness } from './harness.ts';
import { AT, BAD, CLEAN, container, podOf, policy, specOf, uidOf } from './parts.ts';
import { checkPayloads, subscribe } from '../notify/subscriber.ts';

const ENFORCE = policy({ runtimeReconciliation: 'enforce' });
const bad = (n: number): ReturnType<typeof podOf> => podOf(n, { containers: [container(BAD)] });

async function harness(engine: TestEngine, t: TestContext): Promise<SweepHarness> {
  const made = await SweepHarness.open(await engine.open(t));
  made.policies = [policy()];
  await made.scanned(CLEAN, []);
  await made.scanned(BAD, ['CRITICAL']);
  return made;
}

/** Records the review of a pod, as the webhook does. */
async function reviewed(
  h: SweepHarness,
  n: number,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await h.ledger.append({
    uid: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    rows: [
      {
        at: h.now,
        namespace: 'shop',
        pod: `web-${n}`,
        pod_uid: uidOf(n),
        container: 'web',
        image: 'ghcr.io/acme/web:1',
        digest: CLEAN,
        allowed: true,
        reason: '',
        ...more,
      },
    ],
  });
}

forEachEngine('a sweep', (engine) => {
  test('500 pods that came in while the webhook was down get 500 unreviewed rows within one sweep', async (t) => {
    const h = await harness(engine, t);
    for (let n = 0; n < 40; n += 1) await reviewed(h, n);
    // The clock of the API server goes a little behind ours.
    await subscribe(h.store);
    const before = Array.from({ length: 40 }, (_, n) => podOf(n, { createdAt: AT - 2000 }));
    h.now = AT + 600_000;
    const missed = Array.from({ length: 500 }, (_, i) => podOf(1000 + i, { createdAt: AT + i * 1000 }));
    h.pods = [...before, ...missed];
    const service = h.service();
    const result = await h.sweep(service);
    assert.deepEqual([result.unreviewed, result.pods, result.whole, result.refused], [500, 540, true, 0]);
    const rows = await h.rows('unreviewed');
    assert.equal(rows.length, 500);
    assert.deepEqual(new Set(rows.map(({ pod }) => pod)), new Set(missed.map(({ name }) => name)));
    assert.equal((await h.rows('reconcile')).length, 500, 'and each image its first verdict');
    assert.equal(h.events.filter(({ kind }) => kind === 'unreviewed').length, 500);
    assert.equal(h.counted.all.get('svc_reconcile_unreviewed_total'), 500);
    await checkPayloads(h.store);
    const outbox = await rowsOf(h.store, 'select event, items from outbox');
    assert.deepEqual(
      outbox.map(({ event, items }) => [event, JSON.parse(String(items)).pods]),
      [['pods_unreviewed', 500]],
    );
    // Neither this process nor one that begins anew says it twice.
    for (const again of [service, h.service()]) {
      const second = await h.sweep(again);
      assert.deepEqual([second.unreviewed, second.rows], [0, 0]);
    }
  });

  test('a sweep keeps what ran where, and counts as a whole one', async (t) => {
    const h = await harness(engine, t);
    const image = `ghcr.io/acme/web@${BAD}`;
    h.pods = [
      podOf(1, { createdAt: 0, containers: [container(CLEAN, { image })] }),
      podOf(2, { createdAt: 0 }),
    ];
    await h.sweep();
    h.now += 3_600_000;
    h.pods = [podOf(2, { createdAt: 0 })];
    await h.sweep();
    assert.deepEqual(
      await rowsOf(
        h.store,
        'select digest, workload, first_seen_at, last_seen_at from running_images order by digest',
      ),
      [
        { digest: CLEAN, workload: 'deployment/web', first_seen_at: AT, last_seen_at: AT + 3_600_000 },
        { digest: BAD, workload: 'deployment/web', first_seen_at: AT, last_seen_at: AT },
      ],
    );
    const { swept } = await runningImages(h.store).clusters();
    assert.deepEqual([...swept], [['eu', AT + 3_600_000]]);
    const [, second] = await rowsOf(
      h.store,
      'select pods, unreviewed, last_error from reconcile_sweeps order by id',
    );
    assert.deepEqual(second, { pods: 1, unreviewed: 0, last_error: null });
  });

  test('a container whose status names the image of an index is judged, and kept, as that index', async (t) => {
    const h = await harness(engine, t);
    const name = 'ghcr.io/acme/web';
    const index = digestOfRecord(10);
    const [amd, arm, alone] = [digestOfRecord(11), digestOfRecord(12), digestOfRecord(13)];
    const entries = [
      { platform: 'linux/amd64', digest: amd },
      { platform: 'linux/arm64', digest: arm },
    ];
    const scan = async (platform: string, severities: readonly Severity[]): Promise<void> =>
      h.scanned(index, severities, AT, { platform, entries });
    await scan('linux/amd64', ['CRITICAL']);
    await scan('linux/arm64', []);
    h.policies = [policy({ runtimeReconciliation: 'audit', admissionTiming: 'DenyUntilScanned' })];
    for (const n of [1, 2, 3, 4]) await reviewed(h, n, { digest: index });
    const own = { image: `${name}@${arm}` };
    h.pods = [
      podOf(1, { containers: [container(amd)], platform: 'linux/amd64' }),
      podOf(2, { containers: [container(arm)] }),
      podOf(3, { containers: [container(arm, { image: 'ghcr.io/other/web:1' })] }),
      podOf(4, { containers: [container(arm, own)] }),
      podOf(5, { containers: [container(alone)] }),
    ];
    await h.sweep();
    const rows = await h.rows('reconcile');
    assert.deepEqual(
      rows.map(({ pod, digest, label, platform }) => [pod, digest, label, platform]),
      [
        ['web-1', index, 'threshold', 'linux/amd64'],
        ['web-3', arm, 'unscanned', null],
        ['web-4', arm, 'unscanned', null],
        ['web-5', alone, 'unscanned', null],
      ],
      'one of another name, one that the pod names, and one of no index are what they are',
    );
    const ran = await rowsOf(h.store, 'select distinct digest from running_images order by digest');
    assert.deepEqual(new Set(ran.map(({ digest }) => digest)), new Set([index, arm, alone]));
  });

  test('a pod whose image its node has not pulled yet is not stopped for want of a scan', async (t) => {
    const h = await harness(engine, t);
    h.policies = [policy({ runtimeReconciliation: 'enforce', admissionTiming: 'DenyUntilScanned' })];
    h.tags = { 'ghcr.io/acme/web:1': CLEAN };
    h.replacement = () => ({
      labels: new Map(),
      spec: specOf([{ name: 'web', image: 'ghcr.io/acme/web:1' }]),
    });
    await reviewed(h, 1);
    h.pods = [podOf(1, { containers: [container(null)] })];
    const result = await h.sweep();
    assert.deepEqual([h.stopped, result.refused, result.undecided], [[], 0, 1]);
    assert.deepEqual(await h.rows('reconcile'), []);
  });

  test('a list that is not complete retires nothing and stops nothing, and records what it saw', async (t) => {
    const h = await harness(engine, t);
    h.policies = [ENFORCE];
    h.complete = false;
    h.pods = [bad(1)];
    h.replacement = () => ({ labels: new Map(), spec: specOf([{ name: 'web', image: `web@${CLEAN}` }]) });
    const result = await h.sweep();
    assert.deepEqual([result.whole, result.unreviewed, h.stopped], [false, 1, []]);
    assert.deepEqual([...(await runningImages(h.store).clusters()).swept], [['eu', null]]);
    const [sweep] = await rowsOf(h.store, 'select finished_at, last_error from reconcile_sweeps');
    assert.deepEqual(sweep, { finished_at: null, last_error: 'the list of pods was not complete' });
    assert.equal((await rowsOf(h.store, 'select * from running_images')).length, 1);
  });

  test('a verdict is recorded when it turns, whichever process sweeps', async (t) => {
    const h = await harness(engine, t);
    await reviewed(h, 1);
    h.pods = [podOf(1, { createdAt: AT })];
    assert.equal((await h.sweep()).rows, 0, 'admitted, as it was');
    h.now += 60_000;
    await h.scanned(CLEAN, ['CRITICAL', 'HIGH']);
    const service = h.service();
    assert.equal((await h.sweep(service)).rows, 1);
    for (const again of [service, h.service()]) assert.equal((await h.sweep(again)).rows, 0);
    h.policies = [policy({ severityThreshold: 'HIGH' })];
    assert.equal((await h.sweep(service)).rows, 1, 'another sentence');
    h.policies = [policy({ severityThreshold: 'NONE' })];
    assert.equal((await h.sweep()).rows, 1, 'admitted again');
    assert.equal((await h.sweep()).rows, 0);
    assert.deepEqual(
      (await h.rows('reconcile')).map(({ pod, container: name, digest, allowed, label }) => [
        ...[pod, name, digest, allowed, label],
      ]),
      [
        ['web-1', 'web', CLEAN, 0, 'threshold'],
        ['web-1', 'web', CLEAN, 0, 'threshold'],
        ['web-1', 'web', CLEAN, 1, null],
      ],
    );
    assert.deepEqual(
      h.events.map(({ kind, pod }) => [kind, pod]),
      [
        ['refused', 'web-1'],
        ['refused', 'web-1'],
      ],
    );
  });

  test('what break-glass allowed is not judged again, also when it was allowed later', async (t) => {
    const h = await harness(engine, t);
    h.policies = [ENFORCE];
    h.replacement = () => ({ labels: new Map(), spec: specOf([{ name: 'web', image: `web@${CLEAN}` }]) });
    const pod = podOf(1, {
      createdAt: AT,
      containers: [container(BAD), container(CLEAN, { name: 'late' })],
      breakGlassReason: 'incident 7',
    });
    await reviewed(h, 1, { digest: BAD, break_glass: true, break_glass_reason: 'incident 7' });
    h.pods = [pod];
    const service = h.service();
    const first = await h.sweep(service);
    assert.deepEqual([first.bypassed, first.refused, first.rows, h.stopped], [1, 0, 0, []]);
    await reviewed(h, 2, { pod_uid: uidOf(1), container: 'late', digest: BAD, break_glass: true });
    h.pods = [{ ...pod, containers: [container(BAD), container(BAD, { name: 'late' })] }];
    for (const again of [service, h.service()]) {
      const second = await h.sweep(again);
      assert.deepEqual([second.bypassed, second.refused, second.rows, h.stopped], [2, 0, 0, []]);
    }
  });

  test('while a replica may hold rows, a pod that they may be about is not judged, told or stopped', async (t) => {
    const h = await harness(engine, t);
    h.policies = [ENFORCE];
    h.replacement = () => ({ labels: new Map(), spec: specOf([{ name: 'web', image: `web@${CLEAN}` }]) });
    const since = AT - 3_600_000;
    h.account = { whole: false, since, holders: [{ name: 'ipo-1-4d5e6f', cleanAt: since }] };
    const MARGIN = 5 * 60_000;
    for (const n of [3, 4, 5]) await reviewed(h, n, { pod_uid: uidOf(n), digest: BAD });
    h.pods = [
      bad(1), // no row
      { ...bad(2), breakGlassReason: 'incident 7' },
      { ...bad(3), createdAt: since - MARGIN }, // the only one that nothing of its time can be missing of
      { ...bad(4), createdAt: since - MARGIN + 1 },
      { ...bad(5), createdAt: since - MARGIN, breakGlassReason: 'incident 8' },
      { ...bad(6), createdAt: since - MARGIN, finished: true },
    ];
    const service = h.service();
    const result = await h.sweep(service);
    assert.deepEqual([result.unreviewed, result.unproven, result.refused], [null, 5, 1]);
    assert.deepEqual(await h.rows('unreviewed'), []);
    assert.deepEqual([...new Set(h.events.map(({ pod }) => pod)), ...h.stopped], ['web-3', 'web-3']);
    assert.deepEqual(
      (await h.rows('reconcile')).map(({ pod }) => pod),
      ['web-3'],
    );
    await h.sweep(service);
    const said = h.log.lines.filter((line) => line.includes('replicas may hold rows'));
    assert.equal(said.length, 1, 'it is said once');
    h.account = { ...h.account, since: null };
    assert.deepEqual([(await h.sweep()).unproven, (await h.sweep()).refused], [6, 0]);
    assert.deepEqual([...new Set(h.stopped)], ['web-3']);
    h.account = { whole: true, since: null, holders: [] };
    assert.equal((await h.sweep(service)).unreviewed, 2);
    assert.match(h.log.lines.at(-2) ?? '', /every row of every replica is accounted for/);
  });

  test('only a sweep in which no replica may hold rows is kept as one that would find a pod without a review', async (t) => {
    const h = await harness(engine, t);
    h.pods = [bad(1)];
    await h.sweep();
    h.account = { whole: false, since: null, holders: [{ name: 'ipo-1-4d5e6f', cleanAt: null }] };
    await h.sweep();
    await h.sweep();
    const day = Math.floor(AT / 86_400_000);
    const [kept] = await historyReader(h.store).days(day, day);
    assert.deepEqual([kept?.sweeps, kept?.accountedSweeps, kept?.partialSweeps], [3, 1, 0]);
  });

  test('a template of a registry that no policy allows is not asked for there', async (t) => {
    const h = await harness(engine, t);
    h.policies = [policy({ runtimeReconciliation: 'enforce', allowedRegistries: ['ghcr.io'] })];
    h.pods = [bad(1)];
    const asked: string[] = [];
    h.tags = new Proxy({}, { get: (_, image) => (asked.push(String(image)), CLEAN) });
    const spec = specOf([{ name: 'web', image: 'evil.internal:8443/x/y:1' }]);
    h.replacement = () => ({ labels: new Map(), spec });
    const { withheld } = await h.sweep();
    assert.deepEqual([h.stopped, withheld, asked], [[], 1, []]);
    const [row] = await h.rows('reconcile');
    assert.match(String(row?.['reason']), /its replacement would be refused too \(registry\)/);
  });

  test('a pod is stopped when its replacement is admitted, after it was recorded and audited', async (t) => {
    const h = await harness(engine, t);
    h.policies = [ENFORCE];
    h.pods = [bad(1), { ...bad(2), workload: 'deployment/api', controller: null }];
    h.tags = { 'ghcr.io/acme/web:1': CLEAN };
    h.replacement = () => ({
      labels: new Map(),
      spec: specOf([{ name: 'web', image: 'ghcr.io/acme/web:1' }]),
    });
    const result = await h.sweep();
    assert.deepEqual([h.stopped, result.stopped, result.withheld], [['web-1'], 1, 1]);
    const columns = 'at, policy, namespace, pod, pod_uid, digest, stop_mode, outcome, last_error';
    assert.deepEqual(await rowsOf(h.store, `select ${columns} from pod_stops`), [
      {
        ...{ at: AT, policy: 'shop', namespace: 'shop', pod: 'web-1', pod_uid: uidOf(1), digest: BAD },
        ...{ stop_mode: 'graceful', outcome: 'stopped', last_error: null },
      },
    ]);
    const [entry] = await rowsOf(h.store, 'select action, target, detail from audit');
    assert.deepEqual([entry?.action, entry?.target], ['runtime_pod_stop', 'shop/web-1']);
    assert.deepEqual(JSON.parse(String(entry?.detail)).pod_uid, uidOf(1));
    const reasons = (await h.rows('reconcile')).map(({ pod, reason }) => [
      pod,
      String(reason).split('; ')[1],
    ]);
    assert.deepEqual(reasons, [
      ['web-1', undefined],
      ['web-2', 'not stopped: nothing would surely replace it'],
    ]);
    // The one that came in its place runs the same image again (its node had it): it is not stopped a second time.
    h.pods = [{ ...bad(3), createdAt: AT + 1000 }];
    h.now = AT + 3_600_000;
    assert.deepEqual([(await h.sweep()).withheld, h.stopped], [1, ['web-1']]);
  });

  test('a stop that is refused or fails is kept as that', async (t) => {
    const h = await harness(engine, t);
    h.policies = [ENFORCE];
    h.pods = [bad(1)];
    h.replacement = () => ({ labels: new Map(), spec: specOf([{ name: 'web', image: `web@${CLEAN}` }]) });
    for (const outcome of ['refused', 'gone', new Error('the API server does not answer')] as const) {
      h.stopOutcome = outcome;
      const { stopped, notStopped } = await h.sweep();
      assert.deepEqual([stopped, notStopped], [0, 1]);
    }
    assert.deepEqual(
      (await rowsOf(h.store, 'select outcome, last_error from pod_stops order by id')).map(Object.values),
      [
        ['refused', null],
        ['gone', null],
        ['failed', 'the API server does not answer'],
      ],
    );
  });

  test('a leader that was followed by another writes no sweep and stops nothing', async (t) => {
    const h = await harness(engine, t);
    h.policies = [ENFORCE];
    h.pods = [bad(1)];
    h.replacement = () => ({ labels: new Map(), spec: specOf([{ name: 'web', image: `web@${CLEAN}` }]) });
    await raiseClusterFence(h.store, 'eu', 'another', AT);
    await assert.rejects(h.sweep(), /another process leads the cluster now; this one writes nothing/);
    assert.deepEqual([h.stopped, await h.rows('reconcile'), await h.rows('unreviewed')], [[], [], []]);
    for (const table of ['reconcile_sweeps', 'running_images', 'outbox', 'pod_stops', 'audit'])
      assert.deepEqual(await rowsOf(h.store, `select * from ${table}`), [], table);
    h.leads = false;
    assert.equal(await h.service().run(), null);
  });

  test('a leader that is followed by another right before it appends appends nothing', async (t) => {
    const h = await harness(engine, t);
    h.pods = Array.from({ length: 70 }, (_, n) => podOf(n));
    const raised = Promise.withResolvers<number>();
    const slow = h.service({
      ledger: {
        append: async (entry) => {
          await raised.promise;
          return h.ledger.append(entry);
        },
      },
    });
    const swept = slow.run();
    raised.resolve(raiseClusterFence(h.store, 'eu', 'another', AT));
    await assert.rejects(swept, hasLostLead);
    assert.deepEqual(await h.rows('unreviewed'), []);
    await reviewed(h, 1);
    assert.equal((await h.rows('review')).length, 1, 'what every replica may append goes on');
  });

  test('clusters that use one database do not take each other the right to write', async (t) => {
    const h = await harness(engine, t);
    h.pods = [bad(1)];
    await raiseClusterFence(h.store, 'us', 'another', AT);
    assert.equal((await h.sweep()).refused, 1);
    const [row] = await rowsOf(h.store, "select value from fences where name = 'leader'");
    assert.equal(row?.value, 2);
  });

  test('a cluster that was removed and sweeps is there again', async (t) => {
    const h = await harness(engine, t);
    await h.sweep();
    await h.store.write(async (transaction) => {
      await transaction.updateTable('clusters').set({ forgotten_at: AT }).execute();
    });
    assert.deepEqual([...(await runningImages(h.store).clusters()).forgotten], ['eu']);
    await h.sweep();
    assert.deepEqual([...(await runningImages(h.store).clusters()).swept.keys()], ['eu']);
  });

  test('a leader that loses its place in the middle breaks off; the next one does the rest, once', async (t) => {
    const h = await harness(engine, t);
    h.pods = Array.from({ length: 200 }, (_, n) => podOf(n));
    let appended = 0;
    h.beforeAppend = () => {
      appended += 1;
      if (appended === 100) h.leads = false;
    };
    await assert.rejects(
      h.sweep(),
      (error) => hasLostLead(error) && /another process leads now/.test(error.message),
    );
    const before = (await h.rows('unreviewed')).length;
    assert.ok(before >= 100 && before < 200, String(before));
    assert.deepEqual([...(await runningImages(h.store).clusters()).swept], [['eu', null]]);
    h.leads = true;
    const next = await SweepHarness.open(h.store);
    next.pods = h.pods;
    next.policies = h.policies;
    assert.equal((await next.sweep()).unreviewed, 200 - before);
    assert.equal((await h.rows('unreviewed')).length, 200);
    assert.equal((await h.rows('reconcile')).length, 200);
  });

  test('a fault while rows are appended is kept on the sweep', async (t) => {
    const h = await harness(engine, t);
    await subscribe(h.store);
    h.pods = [podOf(1)];
    h.beforeAppend = () => {
      throw new Error('the disk is full');
    };
    await assert.rejects(h.sweep(), /the disk is full/);
    const [sweep] = await rowsOf(h.store, 'select finished_at, last_error from reconcile_sweeps');
    assert.deepEqual(sweep, { finished_at: null, last_error: 'the disk is full' });
    assert.equal(h.counted.all.get('svc_reconcile_sweeps_total failed'), 1);
    h.beforeAppend = () => {};
    assert.equal((await h.sweep()).unreviewed, 1);
    const outbox = await checkPayloads(h.store);
    assert.equal(outbox.length, 1, 'and the same pods are told of once');
  });

  test('digests that run and were never scanned are asked for', async (t) => {
    const h = await harness(engine, t);
    const unknown = `sha256:${'9'.repeat(64)}`;
    h.pods = [podOf(1), podOf(2, { containers: [container(unknown)] })];
    await h.sweep();
    assert.deepEqual(h.wanted, [unknown]);
    assert.equal(digestOf(container(unknown)), unknown);
  });
});
