import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { clusterLivePods, KubernetesApi } from '../../src/adapters/kubernetes/index.ts';
import { parsePolicyValue } from '../../src/policy/index.ts';
import {
  denyDraft,
  PodStops,
  runtimePolicySpec,
  type LivePods,
  type PodStopsDeps,
  type StopEvent,
  type StopLog,
  type StopNotice,
} from '../../src/runtime/index.ts';
import { podStopLog } from '../../src/store/index.ts';
import { openFake, plainConnection, silent } from '../kubernetes/servers.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';

const AT = Date.UTC(2026, 10, 26, 6);
const DIGEST = `sha256:${'a'.repeat(64)}`;
const policyOf = (spec: object = {}) => ({
  name: 'stop-shells',
  spec: runtimePolicySpec.parse({ enforcement: 'Enforce', ...spec }),
});

interface Changes {
  readonly rules?: Partial<PodStopsDeps['rules']>;
  readonly pods?: (pods: LivePods) => LivePods;
  readonly log?: (log: StopLog) => StopLog;
}

async function open(t: TestContext, engine: TestEngine) {
  const store = await engine.open(t);
  await store.write(async (transaction) => {
    await sql`insert into fences (name, value, holder, acquired_at) values ('cluster:eu', 7, 'me', 1)`.execute(
      transaction,
    );
    for (let id = 1; id <= 30; id += 1)
      await sql`insert into runtime_events (id, at, rule, priority, output, effect, policy, policy_effect)
        values (${id}, ${AT}, 'Shell', 'Notice', '', 'record', 'stop-shells', 'pending')`.execute(
        transaction,
      );
  });
  const { fake, url } = await openFake({ now: () => AT });
  const api = new KubernetesApi(plainConnection(url), 'test');
  t.after(async () => {
    await api.close();
    await fake.close();
  });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d', uid: 'rs-1' };
  const seed = (name: string, more: Record<string, unknown> = {}, namespace = 'shop'): StopEvent => {
    const { metadata } = fake.seed({
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { name, namespace, ownerReferences: [{ ...owner, controller: true }], ...more },
      spec: { containers: [{ name: 'main', image: 'ghcr.io/acme/web:1' }] },
      status: { containerStatuses: [{ name: 'main', imageID: `ghcr.io/acme/web@${DIGEST}` }] },
    });
    return {
      ...{
        id: (ids += 1),
        at: AT + 2000,
        receivedAt: AT + 2000,
        rule: 'Shell',
        fields: JSON.stringify({ 'k8s.pod.uid': metadata.uid }),
      },
      ...{ namespace, pod: name, podUid: metadata.uid, workload: 'deployment/web' },
      ...{ image: 'ghcr.io/acme/web:1', digest: DIGEST },
    };
  };
  let ids = 0;
  const notices: StopNotice[] = [];
  const drafts: string[] = [];
  const lead = { leads: true };
  const stopsWith = ({ rules, pods = (same) => same, log = (same) => same }: Changes = {}) =>
    new PodStops({
      rules: { cluster: 'eu', ownNamespace: 'ipo', allowEnforce: true, maxStops: 10, ...rules },
      pods: pods(clusterLivePods(api)),
      log: log(podStopLog(store)),
      notices: { happened: (notice) => void notices.push(notice) },
      draftOf: async ({ image }) => {
        drafts.push(image ?? '');
        return { policy: '{}', effect: null };
      },
      leader: { isLeader: () => lead.leads, fence: () => 7 },
      clock: { now: () => AT + 5000 },
      lines: silent,
      count: { add: () => {}, observe: () => {} } as never,
    });
  const running = () =>
    fake.objects.list(fake.kindOf('v1', 'Pod'), null).map(({ metadata }) => metadata.name);
  const deletes = () => fake.seen.filter(({ method }) => method === 'DELETE');
  const outcomes = async () =>
    (await rowsOf(store, 'select outcome, last_error from pod_stops order by id')).map(
      ({ outcome, last_error }) => [outcome as string, last_error as string | null] as const,
    );
  const audited = async () =>
    (await rowsOf(store, "select detail from audit where action = 'runtime_pod_stop'")).length;
  return { seed, stopsWith, notices, drafts, lead, running, deletes, outcomes, audited, fake };
}

forEachEngine('stopping pods', (engine) => {
  test('a pod is stopped by its uid and version with one second of grace, or its own, and its owner is told', async (t) => {
    const { seed, stopsWith, notices, deletes, running, audited } = await open(t, engine);
    const stops = stopsWith();
    await stops.stop({ event: seed('web-1'), policy: policyOf() });
    await stops.stop({ event: seed('web-2'), policy: policyOf({ stopMode: 'graceful' }) });
    const bodies = deletes().map(({ body }) => body as Record<string, unknown>);
    assert.deepEqual(
      bodies.map(({ gracePeriodSeconds }) => gracePeriodSeconds),
      [1, undefined],
    );
    for (const { preconditions } of bodies)
      assert.deepEqual(Object.keys(preconditions as object).toSorted(), ['resourceVersion', 'uid']);
    assert.deepEqual([running(), await audited()], [[], 2]);
    assert.deepEqual(
      notices.map(({ kind, owner }) => [kind, owner?.kind, owner?.name]),
      [
        ['stopped', 'ReplicaSet', 'web-5d'],
        ['stopped', 'ReplicaSet', 'web-5d'],
      ],
    );
  });

  test('each guard withholds, and the API server is not asked to delete anything', async (t) => {
    const { seed, stopsWith, notices, deletes, outcomes } = await open(t, engine);
    const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
    await stopsWith({ rules: { allowEnforce: false } }).stop({ event: seed('a'), policy: policyOf() });
    const stops = stopsWith();
    for (const [name, more, namespace] of [
      ['b', {}, 'kube-system'],
      ['c', {}, 'kube-node-lease'],
      ['d', {}, 'ipo'],
      ['e', mirror, 'shop'],
    ] as const)
      await stops.stop({ event: seed(name, more, namespace), policy: policyOf() });
    await stops.stop({ event: seed('f'), policy: policyOf({ enforcement: 'Audit' }) });
    await stops.stop({ event: { ...seed('g'), digest: null, podUid: null }, policy: policyOf() });
    assert.deepEqual(deletes(), []);
    const found = await outcomes();
    assert.deepEqual(
      found.map(([outcome]) => outcome),
      Array.from({ length: 6 }, () => 'withheld'),
    );
    for (const [i, why] of [
      /allowEnforce/,
      /kube-system/,
      /kube-node-lease/,
      /operator/,
      /static/,
      /not known/,
    ].entries())
      assert.match(found[i]?.[1] ?? '', why);
    assert.ok(notices.every(({ kind }) => kind === 'withheld'));
  });

  test('after three stops of a workload the next is withheld with a draft, and so is the eleventh of a minute', async (t) => {
    const { seed, stopsWith, running, outcomes, drafts } = await open(t, engine);
    const stops = stopsWith();
    for (let n = 0; n < 4; n += 1) await stops.stop({ event: seed('web-0'), policy: policyOf() });
    assert.deepEqual(running(), ['web-0'], 'its controller makes it again, and it is left running');
    assert.match((await outcomes()).at(-1)?.[1] ?? '', /3 pods of its workload were stopped within an hour/);
    assert.deepEqual(drafts, ['ghcr.io/acme/web:1']);
    for (let n = 0; n < 9; n += 1)
      await stops.stop({ event: { ...seed(`w-${n}`), workload: `deployment/w-${n}` }, policy: policyOf() });
    assert.match((await outcomes()).at(-1)?.[1] ?? '', /10 pods were stopped within a minute/);
    assert.equal((await outcomes()).filter(([outcome]) => outcome === 'stopped').length, 10);
  });

  test('a pod that changes is read again three times, and one that is another by then is not stopped', async (t) => {
    const { seed, stopsWith, running, outcomes, fake, notices, audited } = await open(t, engine);
    const pod = fake.kindOf('v1', 'Pod');
    let left = 0;
    const touching = stopsWith({
      pods: (pods) => ({
        ...pods,
        remove: (place, ...rest) => {
          const found = fake.objects.find(pod, place.namespace, place.name);
          if (found !== null && (left -= 1) >= 0)
            fake.objects.replace(pod, found, { ...found, touched: left });
          return pods.remove(place, ...rest);
        },
      }),
    });
    left = 3;
    await touching.stop({ event: seed('a'), policy: policyOf() });
    left = 4;
    await touching.stop({ event: seed('b'), policy: policyOf() });
    assert.deepEqual(running(), ['b']);
    const replaced = stopsWith({
      pods: (pods) => ({
        ...pods,
        remove: (place, ...rest) => {
          const found = fake.objects.get(pod, place.namespace, place.name);
          fake.objects.remove(pod, found);
          seed(place.name);
          return pods.remove(place, ...rest);
        },
      }),
    });
    await replaced.stop({ event: seed('c'), policy: policyOf() });
    assert.deepEqual(running(), ['b', 'c'], 'the successor of the same name runs on');
    await stopsWith().stop({
      event: { ...seed('d'), digest: `sha256:${'b'.repeat(64)}` },
      policy: policyOf(),
    });
    assert.deepEqual(
      (await outcomes()).map(([outcome]) => outcome),
      ['stopped', 'failed', 'changed', 'changed'],
    );
    // Of the last one nothing was asked of the API server.
    assert.equal(await audited(), 3);
    assert.deepEqual(
      notices.map(({ kind, owner, message }) => [kind, owner?.name, message.split('; ')[1]]),
      [
        ['stopped', 'web-5d', undefined],
        ['failed', 'web-5d', 'it changed each time that it was read'],
        ['failed', 'web-5d', 'it was another pod by then'],
      ],
    );
  });

  test('killed at any point, no pod is stopped twice, and none without its audit entry', async (t) => {
    const { seed, stopsWith, running, outcomes, deletes, audited, lead } = await open(t, engine);
    const die = (): never => {
      throw new Error('killed');
    };
    const crashes: readonly Changes[] = [
      // Before and after the attempt is durable, before and after the pod is deleted, and before the end is.
      { log: (log) => ({ ...log, begin: die }) },
      { log: noBegun },
      {
        pods: (pods) => ({ ...pods, remove: async (...call) => (await pods.remove(...call), die()) }),
        log: noEnd,
      },
      { log: noEnd },
    ];
    for (const [n, crash] of crashes.entries()) {
      const event = seed(`web-${n}`);
      const wanted = { event: { ...event, workload: `deployment/${n}` }, policy: policyOf() };
      await stopsWith(crash)
        .stop(wanted)
        .catch(() => {});
      const between = deletes().length;
      assert.ok(between <= (await audited()), 'nothing is deleted that is not audited');
      for (let again = 0; again < 3; again += 1) await stopsWith().stop(wanted);
      assert.deepEqual(running(), []);
      assert.equal(deletes().length, n + 1, 'deleted once');
    }
    assert.deepEqual(
      (await outcomes()).map(([outcome]) => outcome),
      ['stopped', 'stopped', 'stopped', 'stopped'],
    );
    assert.equal(await audited(), 4);
    // Who leads no more asks for nothing, also between the attempt and the API server.
    const event = seed('last');
    const late = stopsWith({
      log: (log) => ({
        ...log,
        begin: async (...call) => {
          const begun = await log.begin(...call);
          lead.leads = false;
          return begun;
        },
      }),
    });
    await late.stop({ event, policy: policyOf() });
    assert.deepEqual(running(), ['last']);
    lead.leads = true;
    await stopsWith().stop({ event, policy: policyOf() });
    assert.deepEqual([running(), await audited()], [[], 5]);
  });

  test('what nobody stopped within an hour is withheld, and so is what its policy asks for no more', async (t) => {
    const { seed, stopsWith, running, outcomes, deletes } = await open(t, engine);
    const stops = stopsWith();
    const lapsed = { name: 'stop-shells', spec: null };
    const late = (name: string) => ({ ...seed(name), at: AT, receivedAt: AT - 3_600_000 });
    await stops.stop({ event: late('a'), policy: policyOf() });
    await stops.stop({ event: seed('b'), policy: lapsed });
    // Begun by a process that died before it asked for it.
    const resumed = { ...seed('c'), workload: 'deployment/c' };
    const killed = stopsWith({ log: noBegun });
    await assert.rejects(killed.stop({ event: resumed, policy: policyOf() }), /killed/);
    await stops.stop({ event: resumed, policy: lapsed });
    assert.deepEqual([running(), deletes()], [['a', 'b', 'c'], []]);
    const found = await outcomes();
    assert.deepEqual(found, [
      ['withheld', 'it could not be stopped within an hour of the event'],
      ['withheld', 'its policy is no longer in effect'],
      ['failed', 'the process ended before the answer; its policy is no longer in effect'],
    ]);
  });

  test('while the API server is away nothing is settled, and a denied delete is', async (t) => {
    const { seed, stopsWith, outcomes, running } = await open(t, engine);
    const event = seed('a');
    const away = stopsWith({ pods: (pods) => ({ ...pods, read: () => Promise.reject(new Error('away')) }) });
    await assert.rejects(away.stop({ event, policy: policyOf() }), /away/);
    assert.deepEqual(await outcomes(), []);
    const denied = stopsWith({ pods: (pods) => ({ ...pods, remove: async () => 'refused' }) });
    await denied.stop({ event, policy: policyOf() });
    const failing = stopsWith({
      pods: (pods) => ({ ...pods, remove: () => Promise.reject(new Error('500')) }),
    });
    await failing.stop({ event: seed('b'), policy: policyOf() });
    assert.deepEqual(
      [await outcomes(), running()],
      [
        [
          ['refused', null],
          ['failed', '500'],
        ],
        ['a', 'b'],
      ],
    );
  });
});

function noBegun(log: StopLog): StopLog {
  const begin: StopLog['begin'] = async (...call) => {
    await log.begin(...call);
    throw new Error('killed');
  };
  return { ...log, begin };
}

function noEnd(log: StopLog): StopLog {
  return { ...log, end: () => Promise.reject(new Error('killed')) };
}

test('the draft is a valid policy that allows what else runs and not the image', () => {
  const running = [
    'nginx:1',
    'ghcr.io/acme/web:2',
    'ghcr.io/acme/api@sha256:x',
    'ghcr.io/acme:5000',
    'registry.k8s.io/pause:3.9',
  ];
  const draft = denyDraft({ namespace: 'shop', image: 'ghcr.io/acme/web:1' }, running);
  assert.ok(draft);
  const { policy } = parsePolicyValue(draft);
  assert.equal(policy.name, 'deny-web');
  assert.deepEqual(policy.spec.allowedRegistries, ['docker.io/library/nginx', 'registry.k8s.io/pause']);
  assert.deepEqual(denyDraft({ namespace: 'shop', image: 'nginx' }, [])?.spec.allowedRegistries, [
    'nothing.invalid',
  ]);
  assert.equal(denyDraft({ namespace: 'shop', image: 'sha256:3f8a' }, []), null);
  const many = Array.from({ length: 300 }, (_, n) => `ghcr.io/a/x${n}`);
  const wide = denyDraft({ namespace: 'shop', image: 'quay.io/a/b' }, many);
  assert.deepEqual(wide?.spec.allowedRegistries, ['ghcr.io']);
});
