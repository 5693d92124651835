import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeReplacement, judgeRunning } from '../../src/reconcile/index.ts';
import { BAD, CLEAN, container, context, OTHER, podOf, policy, record, specOf } from './parts.ts';

const KNOWN = record(true);

test('a running pod is judged on what is known now', () => {
  const bad = judgeRunning(podOf(1, { containers: [container(BAD)] }), KNOWN, context([policy()]));
  assert.equal(bad.allowed, false);
  const [image] = bad.images;
  assert.equal(image?.judgement.outcome.label, 'threshold');
  assert.match(image?.judgement.outcome.reason ?? '', /^vulnerabilities at or above CRITICAL: CVE-2026-1000/);
  assert.match(image?.inputs() ?? '', /^[0-9a-f]{64}$/);
  assert.equal(judgeRunning(podOf(2), KNOWN, context([policy()])).allowed, true);
});

test('a policy that does not reconcile is not asked', () => {
  const off = policy({ runtimeReconciliation: 'off' }, 'a');
  const pod = podOf(1, { containers: [container(BAD)] });
  const alone = judgeRunning(pod, KNOWN, context([off]));
  assert.deepEqual([alone.images.length, alone.policies.length, alone.allowed], [0, 0, true]);
  const both = judgeRunning(pod, KNOWN, context([off, policy({ enforcement: 'Audit' }, 'b')]));
  assert.equal(both.images[0]?.judgement.outcome.policy?.name, 'b');
  assert.match(both.images[0]?.judgement.outcome.reason ?? '', /^audit mode: vulnerabilities/);
});

test('what break-glass allowed is not judged again, container by container', () => {
  const containers = [container(BAD), container(BAD, { name: 'late' })];
  const judged = judgeRunning(podOf(1, { containers }), record(true, ['web']), context([policy()]));
  assert.deepEqual(
    [judged.bypassed, judged.images.map((image) => image.container.name), judged.allowed],
    [1, ['late'], false],
  );
});

test('the digest that the reference names goes before the one that the node reports', () => {
  const image = `ghcr.io/acme/web@${BAD}`;
  const judged = judgeRunning(
    podOf(1, { containers: [container(CLEAN, { image })] }),
    KNOWN,
    context([policy()]),
  );
  assert.deepEqual([judged.images[0]?.digest, judged.allowed], [BAD, false]);
});

test('a fact that was never recorded leaves it undecided', () => {
  const facts = new Map([[BAD, { ...context([]).facts.get(BAD)!, signatures: null }]]);
  const signed = policy({
    signature: { required: true, identities: [{ identity: 'release@acme.example' }] },
    severityThreshold: 'NONE',
  });
  const unknown = judgeRunning(
    podOf(1, { containers: [container(BAD)] }),
    KNOWN,
    context([signed], { facts }),
  );
  assert.deepEqual([unknown.undecided, unknown.images.length, unknown.allowed], [1, 0, true]);
});

test('what names no repository is refused in the words of the webhook, or audited', () => {
  const pod = podOf(1, { containers: [container(BAD, { image: 'Not A Reference' })] });
  const [image] = judgeRunning(pod, KNOWN, context([policy()])).images;
  const { allowed, label, reason } = image?.judgement.outcome ?? {};
  assert.deepEqual([allowed, label, image?.inputs()], [false, 'registry', null]);
  assert.match(reason ?? '', /^registry not allowed: Not A Reference has a /);
  const audited = judgeRunning(pod, KNOWN, context([policy({ enforcement: 'Audit' })]));
  assert.match(audited.images[0]?.judgement.outcome.reason ?? '', /^audit mode: registry not allowed: /);
});

test('signals and exposure of the pod as it runs are judged', () => {
  const escalate = policy({
    deploymentContext: { mode: 'Escalate', signals: ['exposed'] },
    severityThreshold: 'HIGH',
  });
  const exposed = context([escalate], {
    exposedBy: (namespace, labels) => (labels.get('app') === 'web' ? `Service ${namespace}/front` : null),
    facts: new Map([[CLEAN, { ...context([]).facts.get(CLEAN)!, scan: context([]).facts.get(BAD)!.scan }]]),
  });
  const judged = judgeRunning(podOf(1), KNOWN, exposed);
  assert.equal(judged.exposedBy, 'Service shop/front');
  assert.deepEqual(judged.signals, ['exposed']);
  const hard = judgeRunning(
    podOf(2, { spec: { ...specOf([{ name: 'web', image: 'x' }]), hostPID: true } }),
    KNOWN,
    context([policy({ workloadHardening: 'block' })]),
  );
  assert.deepEqual(
    [hard.hardening.label, hard.hardening.reason, hard.allowed],
    ['workload_hardening', 'workload hardening: hostNamespace', false],
  );
});

test('a replacement is judged as its admission would: by all policies, as a whole, without guessing', () => {
  const running = { pod: podOf(1, { containers: [container(BAD)] }), signals: [] as string[] };
  const ask = (
    digest: string | null,
    { policies = [policy()], image = 'ghcr.io/acme/web:1', spec = {}, quota = null as string | null } = {},
    judged: typeof running = running,
  ): string | null =>
    judgeReplacement(
      judged,
      {
        labels: new Map([['app', 'web']]),
        spec: specOf([{ name: 'web', image }], spec),
        images: [{ container: 'web', image, digest }],
      },
      () => quota,
      context(policies),
    );
  assert.equal(ask(CLEAN), null);
  assert.equal(ask(BAD), 'its replacement would be refused too (threshold)');
  assert.equal(ask(null), 'what its replacement would run is not known');
  assert.equal(ask(CLEAN, { image: 'Not A Reference' }), 'what its replacement would run is not known');
  assert.equal(
    ask(CLEAN, { quota: 'node ceiling of 3 exceeded' }),
    'its replacement would be refused too (quota)',
  );
  const notReconciling = policy({ runtimeReconciliation: 'off', allowedRegistries: ['docker.io'] }, 'z');
  assert.equal(
    ask(CLEAN, { policies: [policy(), notReconciling] }),
    'its replacement would be refused too (registry)',
  );
  const hard = policy({ workloadHardening: 'block' });
  assert.equal(
    ask(CLEAN, { policies: [hard], spec: { hostNetwork: true } }),
    'its replacement would be refused too (workload_hardening)',
  );
  // What another webhook adds to a pod does not stand in the template, and would be there again.
  const injected = podOf(1, { containers: [container(BAD), container(BAD, { name: 'proxy' })] });
  assert.equal(
    ask(CLEAN, {}, { pod: injected, signals: [] }),
    'its replacement would be refused too (threshold)',
  );
  const harmless = podOf(1, { containers: [container(BAD), container(OTHER, { name: 'proxy' })] });
  assert.equal(ask(CLEAN, {}, { pod: harmless, signals: [] }), null);
  assert.equal(
    ask(CLEAN, { policies: [hard] }, { pod: harmless, signals: ['capabilities'] }),
    'its replacement would be refused too (workload_hardening)',
  );
  const debugged = podOf(1, {
    containers: [container(BAD), container(BAD, { name: 'debug', role: 'ephemeral' })],
  });
  assert.equal(ask(CLEAN, {}, { pod: debugged, signals: [] }), null, 'a debugger does not come back');
});
