import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { labelOfSentence } from '../../src/decision/index.ts';
import {
  covers,
  judgeRunning,
  mayStop,
  mustHaveRow,
  namesOf,
  planStops,
  planSweep,
  seenWorkloads,
  stopCandidates,
  type JudgedPod,
  type KnownReplacement,
  type RecordedVerdict,
  type RunningPod,
  type SweepFacts,
  type SweepRules,
} from '../../src/reconcile/index.ts';
import { runs } from '../runs.ts';
import { AT, BAD, CLEAN, container, context, OTHER, podOf, policy, record, specOf } from './parts.ts';

const RULES: SweepRules = {
  cluster: 'eu',
  ownNamespace: 'ipo',
  leftOut: ['legacy'],
  selected: (name) => name !== 'unlabelled',
  allowEnforce: true,
  maxStops: 10,
};
const ENFORCE = policy({ runtimeReconciliation: 'enforce' });

function judge(pods: readonly RunningPod[], policies = [ENFORCE]): JudgedPod[] {
  return pods.map((pod) => judgeRunning(pod, record(true), context(policies)));
}

function plan(judged: readonly JudgedPod[], more: Partial<SweepFacts> = {}): ReturnType<typeof planSweep> {
  return planSweep({
    rules: RULES,
    installedAt: AT - 3_600_000,
    startedAt: AT,
    judged,
    others: [],
    records: new Map(judged.map(({ pod }) => [pod.uid, record(true)])),
    verdicts: new Map(),
    withheld: new Map(),
    ...more,
  });
}

/** The verdicts that the rows of a plan leave behind. */
function verdictsOf(planned: ReturnType<typeof planSweep>): Map<string, RecordedVerdict> {
  return new Map(
    planned.pods.flatMap(({ pod, rows }) =>
      rows
        .filter(({ kind }) => kind === 'reconcile')
        .map(({ container: name, allowed, reason, label = null, policy: by = null }) => [
          `${pod.uid}/${name ?? ''}`,
          { allowed, reason, label, policy: by },
        ]),
    ),
  );
}

const bad = (n: number, more: Partial<RunningPod> = {}): RunningPod =>
  podOf(n, { containers: [container(BAD)], ...more });

function replacement(digest: string | null): KnownReplacement {
  const image = 'ghcr.io/acme/web:1';
  return {
    labels: new Map(),
    spec: specOf([{ name: 'web', image }]),
    images: [{ container: 'web', image, digest }],
  };
}

test('a pod that nobody reviewed gets a row of its own, and one for each image', () => {
  const judged = judge([podOf(1), podOf(2)]);
  const planned = plan(judged, { records: new Map([[podOf(2).uid, record(true)]]) });
  assert.equal(planned.unreviewed, 1);
  assert.equal(planned.pods.length, 1);
  const [first, second] = planned.pods[0]?.rows ?? [];
  assert.deepEqual(
    [first?.kind, first?.pod, first?.allowed, first?.image, first?.pod_level, first?.policy],
    ['unreviewed', 'web-1', true, undefined, true, 'shop'],
  );
  assert.equal(first?.reason, 'unreviewed: the pod was created without a review at 2026-11-20T05:59:00Z');
  assert.deepEqual([second?.kind, second?.container, second?.allowed], ['reconcile', 'web', true]);
  assert.deepEqual(
    planned.notices.map(({ event, payload }) => [event, payload.pods, payload.namespaces]),
    [['pods_unreviewed', 1, ['shop']]],
  );
});

test('a pod counts as unreviewed only where a review should have been', () => {
  const cases: readonly [string, Partial<RunningPod>, boolean][] = [
    ['after the install', {}, true],
    ['in the very millisecond of the install', { createdAt: AT - 3_600_000 }, true],
    ['before the install', { createdAt: AT - 3_600_001 }, false],
    ['in the own namespace', { namespace: 'ipo' }, false],
    ['in kube-system', { namespace: 'kube-system' }, false],
    ['in kube-node-lease', { namespace: 'kube-node-lease' }, false],
    ['in a namespace that is left out', { namespace: 'legacy' }, false],
    ['in a namespace whose labels are not those meant', { namespace: 'unlabelled' }, false],
    ['a static pod', { mirror: true }, false],
    ['one that has ended', { finished: true }, true],
    ['one that is being deleted', { deleting: true }, true],
  ];
  for (const [name, more, expected] of cases) {
    const pod = podOf(1, more);
    assert.equal(mustHaveRow(RULES, AT - 3_600_000, pod), expected, name);
    const planned = plan([], { others: [pod], records: new Map() });
    assert.equal(planned.unreviewed, expected ? 1 : 0, name);
  }
});

test('while the ledger is behind, nothing is called unreviewed', () => {
  const planned = plan(judge([podOf(1), bad(2)]), { records: null });
  assert.equal(planned.unreviewed, 0);
  assert.deepEqual(
    planned.pods.map(({ pod, rows }) => [pod.name, rows.map(({ kind }) => kind)]),
    [['web-2', ['reconcile']]],
  );
});

test('a refusal is recorded once, and again when it turns', () => {
  const judged = judge([bad(1)]);
  const first = plan(judged);
  const [row] = first.pods[0]?.rows ?? [];
  assert.deepEqual(
    [row?.kind, row?.allowed, row?.review_allowed, row?.label, row?.policy, row?.policy_revision],
    ['reconcile', false, false, 'threshold', 'shop', ENFORCE.revision],
  );
  assert.equal(row?.digest, BAD);
  assert.deepEqual([first.refused, first.pods[0]?.refusal], [1, row?.reason]);
  const verdicts = verdictsOf(first);
  const again = plan(judged, { verdicts });
  assert.deepEqual([again.pods.length, again.refused], [0, 1]);
  const audited = plan(judge([bad(1)], [policy({ enforcement: 'Audit' })]), { verdicts });
  assert.match(audited.pods[0]?.rows[0]?.reason ?? '', /^audit mode: /);
  const healed = plan(judge([podOf(1)]), { verdicts });
  assert.deepEqual(
    healed.pods[0]?.rows.map(({ allowed, reason, label }) => [allowed, reason, label]),
    [[true, '', null]],
  );
  assert.deepEqual(plan(judge([podOf(1)]), { verdicts: verdictsOf(healed) }).pods, []);
});

test('a refusal of the pod as a whole is a row without an image', () => {
  const pod = podOf(1, { spec: { ...specOf([]), hostIPC: true } });
  const [row] = plan(judge([pod], [policy({ workloadHardening: 'block' })])).pods[0]?.rows ?? [];
  assert.deepEqual(
    [row?.pod_level, row?.image, row?.label, row?.allowed],
    [true, undefined, 'workload_hardening', false],
  );
});

test('only a policy that enforces and reconciles by enforce makes a candidate, and never where the webhook is not asked', () => {
  const names = (
    pods: readonly RunningPod[],
    policies: Parameters<typeof judge>[1],
    rules = RULES,
  ): string[] => stopCandidates(judge(pods, policies), rules).map(({ judged }) => judged.pod.name);
  assert.deepEqual(names([bad(1), podOf(2)], [ENFORCE]), ['web-1']);
  assert.deepEqual(names([bad(1)], [policy()]), [], 'reconciles by audit');
  assert.deepEqual(names([bad(1)], [policy({ enforcement: 'Audit', runtimeReconciliation: 'enforce' })]), []);
  assert.deepEqual(names([bad(1)], [ENFORCE], { ...RULES, allowEnforce: false }), []);
  for (const namespace of ['ipo', 'kube-system', 'kube-node-lease', 'legacy', 'unlabelled']) {
    assert.equal(covers(RULES, namespace), false);
    assert.deepEqual(names([bad(1, { namespace })], [ENFORCE]), [], namespace);
  }
});

function stops(
  pods: readonly RunningPod[],
  replacements: (pod: RunningPod) => KnownReplacement | null | undefined,
  earlier: Parameters<typeof planStops>[2] = [],
): ReturnType<typeof planStops> {
  const found = new Map<string, KnownReplacement | null>();
  for (const pod of pods) {
    const known = replacements(pod);
    if (known !== undefined) found.set(pod.uid, known);
  }
  const running = new Map<string, number>();
  for (const { namespace, workload } of pods)
    running.set(`${namespace}/${workload}`, (running.get(`${namespace}/${workload}`) ?? 0) + 1);
  return planStops(
    stopCandidates(judge(pods), RULES),
    found,
    earlier,
    running,
    () => null,
    context([ENFORCE]),
  );
}

test('a pod is stopped when its replacement is admitted, else it is left with the reason', () => {
  const one = (
    known: KnownReplacement | null | undefined,
    more: Partial<RunningPod> = {},
    earlier: Parameters<typeof planStops>[2] = [],
  ): string => {
    const { stop, withheld } = stops([bad(1, more)], () => known, earlier);
    assert.equal(stop.length + withheld.size, 1);
    return [...withheld.values()][0]?.why ?? 'stopped';
  };
  assert.equal(one(replacement(CLEAN)), 'stopped');
  assert.equal(one(replacement(OTHER)), 'stopped');
  assert.equal(one(replacement(BAD)), 'its replacement would be refused too (threshold)');
  assert.equal(one(replacement(null)), 'what its replacement would run is not known');
  assert.equal(one(null), 'nothing would surely replace it');
  assert.equal(one(undefined), 'what would replace it could not be read');
  assert.equal(
    one(replacement(CLEAN), { mirror: true }),
    'its node runs it, whatever the API server is told',
  );
  const before = [{ namespace: 'shop', digest: BAD, at: AT - 60_000 }];
  assert.equal(
    one(replacement(CLEAN), {}, before),
    'the pod made in the place of one that was stopped ran the same image again',
  );
  assert.equal(one(replacement(CLEAN), { createdAt: AT - 60_001 }, before), 'stopped');
  assert.equal(one(replacement(CLEAN), { namespace: 'bank' }, before), 'stopped');
});

test('what is left running says so in its row and in one notification of its workload', () => {
  const pods = [bad(1), bad(2)];
  const { withheld } = stops(pods, () => replacement(BAD));
  const planned = plan(judge(pods), { withheld });
  const reasons = planned.pods.map(({ rows }) => rows[0]?.reason ?? '');
  assert.equal(reasons.length, 2);
  for (const reason of reasons) {
    assert.match(reason, /; not stopped: its replacement would be refused too \(threshold\)$/);
    assert.equal(labelOfSentence(reason), 'threshold');
  }
  assert.deepEqual(
    planned.notices.map(({ event, payload }) => [event, payload.workload, payload.policy, payload.digest]),
    [['pod_stop_withheld', 'deployment/web', 'shop', BAD]],
  );
  const again = plan(judge(pods), { withheld, verdicts: verdictsOf(planned) });
  assert.deepEqual([again.pods, again.notices], [[], []]);
});

test('a workload loses at most a quarter of its pods in one sweep, and one at least', () => {
  const pods = Array.from({ length: 9 }, (_, n) => bad(n, n === 8 ? { workload: 'deployment/small' } : {}));
  const { stop, putOff } = stops(pods, () => replacement(CLEAN));
  assert.deepEqual([stop.map(({ judged }) => judged.pod.name), putOff], [['web-0', 'web-1', 'web-8'], 6]);
  fc.assert(
    fc.property(fc.nat(1000), (count) => {
      assert.ok(mayStop(count) >= 1 && (mayStop(count) <= count / 4 || mayStop(count) === 1));
    }),
    { numRuns: runs(50) },
  );
});

test('what runs is what nodes pulled and what pods name, but not in pods that have ended', () => {
  const image = `ghcr.io/acme/web@${BAD}`;
  const pods = [
    podOf(1, { containers: [container(CLEAN, { image }), container(null, { name: 'x', image: 'nginx' })] }),
    podOf(2, { containers: [container(CLEAN)] }),
    podOf(3, { containers: [container(OTHER)], finished: true }),
    podOf(4, { containers: [container(OTHER, { name: 'late' })], deleting: true }),
  ];
  assert.deepEqual(
    seenWorkloads(pods).map(({ workload, digest }) => [workload, digest]),
    [CLEAN, BAD, OTHER].map((digest) => ['deployment/web', digest]),
  );
  assert.deepEqual(namesOf(pods), ['ghcr.io/acme/web', 'docker.io/library/nginx']);
});
