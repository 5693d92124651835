import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import { Exposure } from '../../src/pods/index.ts';
import { labelOfSentence } from '../../src/decision/index.ts';
import { NO_FACTS } from '../../src/facts/index.ts';
import { AppendError } from '../../src/ledger/index.ts';
import { AT, DIGEST, factsOf, openReviewer, policyOf, reviewOf } from './reviews.ts';

const WEB = `ghcr.io/acme/web@${DIGEST}`;
const NOT_ROOT = { runAsNonRoot: true };
const pod = (image: string, more: object = {}) => ({
  securityContext: NOT_ROOT,
  containers: [{ name: 'web', image }],
  ...more,
});

suite('what is decided', () => {
  test('init, main and ephemeral containers have a row each, and one refusal refuses the pod', async () => {
    const { ask, rows } = openReviewer([policyOf('{ enforcement: Enforce, allowedRegistries: [ghcr.io] }')]);
    const response = await ask(
      reviewOf({
        uid: 'a-1',
        spec: pod('ghcr.io/acme/web:1', {
          initContainers: [{ name: 'init', image: 'docker.io/evil/init:1' }],
          ephemeralContainers: [{ name: 'debug', image: 'ghcr.io/acme/debug:1' }],
        }),
      }),
    );
    assert.equal(response.uid, 'a-1');
    assert.equal(response.allowed, false);
    assert.deepEqual(response.status, {
      code: 403,
      reason: 'Forbidden',
      message: 'container init: registry not allowed: docker.io/evil/init (policy shop)',
    });
    assert.deepEqual(
      rows().map(({ container, allowed, review_allowed, label }) => [
        container,
        allowed,
        review_allowed,
        label,
      ]),
      [
        ['init', false, false, 'registry'],
        ['web', true, false, null],
        ['debug', true, false, null],
      ],
    );
  });

  test('a row has every field', async () => {
    const policy = policyOf('{ enforcement: Enforce, severityThreshold: HIGH }');
    const { ask, rows, facts } = openReviewer([policy]);
    facts.set(DIGEST, factsOf('CRITICAL'));
    await ask(reviewOf({ uid: 'u-1', spec: pod(WEB, { hostPID: true }) }));
    const [row] = rows();
    assert.match(row?.inputs ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual(row, {
      ...{ at: AT, kind: 'review', cluster: 'eu-1', namespace: 'shop', pod: 'web-1' },
      ...{ pod_uid: '11111111-1111-4111-8111-111111111111', container: 'web', image: WEB, digest: DIGEST },
      ...{ allowed: false, review_allowed: false, label: 'threshold' },
      reason: 'vulnerabilities at or above HIGH: CVE-2026-1',
      ...{ policy: 'shop', policy_revision: policy.revision, break_glass: false, break_glass_reason: null },
      ...{ signals: ['hostNamespace'], exposed_by: null, subresource: null, pod_level: false },
      requester: 'system:serviceaccount:kube-system:replicaset-controller',
      inputs: row?.inputs,
    });
  });

  test('under audit the refusal is recorded and warned of, and the pod admitted', async () => {
    const { ask, rows, counts } = openReviewer([policyOf('{ allowedRegistries: [quay.io] }')]);
    const response = await ask(reviewOf());
    assert.equal(response.allowed, true);
    assert.deepEqual(response.warnings, [
      'container web: audit mode: registry not allowed: ghcr.io/acme/web (policy shop)',
    ]);
    assert.deepEqual([rows()[0]?.allowed, rows()[0]?.label], [true, 'registry']);
    assert.equal(counts().get('svc_admission_denials_total registry'), undefined);
    assert.equal(counts().get('svc_admission_reviews_total allowed'), 1);
  });

  test('a namespace without a policy admits and is recorded', async () => {
    const { ask, rows } = openReviewer([
      policyOf('{ enforcement: Enforce, targetNamespaces: [other], denyLatestTag: true }'),
    ]);
    assert.deepEqual(await ask(reviewOf({ uid: 'n', spec: pod('nginx') })), { uid: 'n', allowed: true });
    assert.deepEqual([rows()[0]?.policy, rows()[0]?.allowed], [null, true]);
  });

  test('warnings of policies that warn stand in the answer', async () => {
    const { ask, facts } = openReviewer([
      policyOf('{ digestEnforcement: warn, workloadHardening: warn, severityThreshold: NONE }'),
    ]);
    facts.set(DIGEST, factsOf('LOW'));
    const { warnings } = await ask(reviewOf({ spec: pod('nginx:1', { hostIPC: true }) }));
    assert.deepEqual(warnings, [
      'container web: digest required: nginx:1',
      'workload hardening: hostNamespace',
    ]);
  });

  test('what a reference does not name is refused under an enforcing policy: a runtime takes a bare image id', async () => {
    const id = 'b'.repeat(64);
    const { ask, rows } = openReviewer([policyOf('{ enforcement: Enforce }')]);
    assert.equal((await ask(reviewOf({ spec: pod(id) }))).allowed, false);
    assert.deepEqual([rows()[0]?.label, rows()[0]?.digest], ['registry', null]);
    assert.match(rows()[0]?.reason ?? '', /^registry not allowed: b+ is an image id or the beginning of one/);
    const audit = openReviewer([policyOf('{}')]);
    assert.equal((await audit.ask(reviewOf({ spec: pod('NGINX') }))).allowed, true);
    assert.match(audit.rows()[0]?.reason ?? '', /^audit mode: registry not allowed: NGINX/);
  });

  test('the beginning of an image id is refused as the whole id is, whatever registries are allowed', async () => {
    for (const id of ['sha256:3f8a1245aaaa', 'sha256:a', `sha256:${'b'.repeat(63)}`]) {
      const { ask, rows } = openReviewer([
        policyOf('{ enforcement: Enforce, allowedRegistries: [docker.io] }'),
      ]);
      assert.equal((await ask(reviewOf({ spec: pod(id) }))).allowed, false, id);
      assert.match(
        rows()[0]?.reason ?? '',
        /^registry not allowed: sha256:[a-f0-9]+ is an image id or the beginning of one/,
      );
    }
    const { ask } = openReviewer([policyOf('{ enforcement: Enforce, allowedRegistries: [docker.io] }')]);
    assert.equal((await ask(reviewOf({ spec: pod('3f8a1245aaaa') }))).allowed, true, 'a name like any other');
  });

  test('a fact that was never recorded counts as none, and the answer says so', async () => {
    const signed = '{ enforcement: Enforce, signature: { required: true, identities: [{ identity: ci }] } }';
    const { ask, rows, facts, counts } = openReviewer([policyOf(signed)]);
    facts.set(DIGEST, factsOf('LOW', { signatures: null }));
    const response = await ask(reviewOf({ spec: pod(WEB) }));
    assert.equal(response.allowed, false);
    assert.deepEqual(response.warnings, [
      `container web: never recorded: signatures of ${WEB}; decided as if there were none`,
    ]);
    assert.deepEqual([rows()[0]?.label, rows()[0]?.reason], ['signature', `signature not verified: ${WEB}`]);
    assert.equal(counts().get('svc_admission_undecided_total never_recorded'), 1);
  });
});

suite('the context', () => {
  const service = { namespace: 'shop', name: 'front', selector: [['app', 'web']] as const, open: true };

  test('the sentence names the Service, and the signals are recorded under both modes', async () => {
    for (const mode of ['Ignore', 'Escalate']) {
      const policy = policyOf(
        `{ enforcement: Enforce, knownExploited: warn, deploymentContext: { mode: ${mode} } }`,
      );
      const { ask, rows, facts, counts } = openReviewer([policy], { exposure: new Exposure([service], []) });
      const found = factsOf('LOW');
      const exploited = (found.scan?.findings ?? []).map((finding) => ({ ...finding, knownExploited: true }));
      facts.set(DIGEST, { ...found, scan: { ...found.scan!, findings: exploited } });
      const response = await ask(reviewOf({ metadata: { labels: { app: 'web' } }, spec: pod(WEB) }));
      assert.equal(response.allowed, mode === 'Ignore');
      assert.deepEqual([rows()[0]?.signals, rows()[0]?.exposed_by], [['exposed'], 'Service shop/front']);
      assert.equal(
        rows()[0]?.reason,
        mode === 'Ignore' ? '' : 'context exposed by Service shop/front: known exploited: CVE-2026-1',
      );
      assert.equal(counts().get('svc_admission_context_total exposed'), 1);
    }
  });

  test('workload hardening refuses the pod on a row of its own, beside those of its images', async () => {
    const { ask, rows, counts } = openReviewer([
      policyOf('{ enforcement: Enforce, workloadHardening: block }'),
    ]);
    const response = await ask(reviewOf({ spec: pod('ghcr.io/acme/web:1', { hostPID: true }) }));
    assert.equal(response.status?.message, 'workload hardening: hostNamespace (policy shop)');
    assert.deepEqual(
      rows().map((row) => [row.image, row.pod_level, row.allowed, row.review_allowed, row.label]),
      [
        ['ghcr.io/acme/web:1', false, true, false, null],
        [null, true, false, false, 'workload_hardening'],
      ],
    );
    assert.equal(counts().get('svc_admission_denials_total workload_hardening'), 1);
  });
});

suite('break-glass', () => {
  const policies = [
    policyOf(
      '{ enforcement: Enforce, allowedRegistries: [quay.io], breakGlass: { allowed: true, groups: [on-call] } }',
    ),
  ];
  const ask = (groups: readonly string[], reason: string) => {
    const opened = openReviewer(policies);
    const metadata = { annotations: { 'ipo.dev/break-glass': reason } };
    const userInfo = { username: 'jane@example.com', groups };
    return { ...opened, answer: opened.ask(reviewOf({ metadata, userInfo })) };
  };

  test('a member of the group bypasses, on record, under a pseudonym', async () => {
    const { answer, rows, metered, events, counts } = ask(['staff', 'on-call'], 'INC-7: restore checkout');
    const response = await answer;
    assert.equal(response.allowed, true);
    assert.deepEqual(response.auditAnnotations, { 'break-glass': 'INC-7: restore checkout', policy: 'shop' });
    const [row] = rows();
    assert.deepEqual(
      [row?.break_glass, row?.break_glass_reason, row?.policy],
      [true, 'INC-7: restore checkout', 'shop'],
    );
    const hash = createHash('sha256').update('jane@example.com').digest('hex');
    assert.equal(row?.requester, `k8s-user:${hash.slice(0, 16)}`);
    assert.deepEqual(metered, [], 'break-glass ones are not counted');
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['bypassed'],
    );
    assert.equal(counts().get('svc_admission_break_glass_total'), 1);
  });

  test('a break-glass that did not count says why: to the person, on record and in the event', async () => {
    const none = policyOf('{ enforcement: Enforce, allowedRegistries: [quay.io] }');
    const nobody = policyOf(
      '{ enforcement: Enforce, allowedRegistries: [quay.io], breakGlass: { allowed: true, groups: [] } }',
    );
    const hardens = policyOf('{ enforcement: Enforce, workloadHardening: block }');
    for (const [policy, groups, reason, why] of [
      [none, ['on-call'], 'INC-7', 'policy shop does not allow it'],
      [nobody, ['on-call'], 'INC-7', 'policy shop names no group that may'],
      [policies[0], ['staff'], 'INC-7', 'the requester is in none of the groups of policy shop'],
      [policies[0], ['on-call'], ' ', 'the annotation ipo.dev/break-glass gives no reason'],
      [hardens, ['on-call'], 'INC-7', 'policy shop does not allow it'],
    ] as const) {
      assert.ok(policy);
      const { ask: review, rows, events } = openReviewer([policy]);
      const response = await review(
        reviewOf({
          metadata: { annotations: { 'ipo.dev/break-glass': reason } },
          userInfo: { username: 'jane@example.com', groups },
        }),
      );
      assert.equal(response.allowed, false);
      const said = `; break-glass did not count: ${why}`;
      const refused = rows().find(({ allowed }) => !allowed);
      assert.ok(refused !== undefined && refused.reason.endsWith(said), refused?.reason);
      // The label is still told from the sentence alone.
      assert.equal(labelOfSentence(refused.reason), refused.label);
      assert.ok(response.status?.message?.includes(said), response.status?.message);
      assert.ok(events[0]?.message.endsWith(said), events[0]?.message);
    }
    // Under an audit policy it is on record too, and the warning says it.
    const audit = openReviewer([policyOf('{ allowedRegistries: [quay.io] }')]);
    const metadata = { annotations: { 'ipo.dev/break-glass': 'INC-7' } };
    const { warnings = [] } = await audit.ask(reviewOf({ metadata }));
    assert.match(warnings.join(), /break-glass did not count: policy shop does not allow it \(policy shop\)/);
    // Whoever asks for none is told nothing of it.
    const { ask: plain, rows } = openReviewer([none]);
    await plain(reviewOf());
    assert.doesNotMatch(rows()[0]?.reason ?? '', /break-glass/);
  });

  test('nobody else does, nor does a member without a reason', async () => {
    for (const [groups, reason] of [
      [['staff'], 'INC-7'],
      [['on-call'], '  '],
    ] as const) {
      const { answer, rows } = ask(groups, reason);
      assert.equal((await answer).allowed, false);
      assert.deepEqual([rows()[0]?.break_glass, rows()[0]?.break_glass_reason], [false, null]);
    }
  });
});

suite('updates', () => {
  const policies = [
    policyOf('{ enforcement: Enforce, allowedRegistries: [ghcr.io], workloadHardening: block }'),
  ];

  test('only images that are new or changed are decided', async () => {
    const { ask, rows } = openReviewer([policyOf('{ enforcement: Enforce, allowedRegistries: [ghcr.io] }')]);
    const two = (image: string) => ({
      containers: [
        { name: 'old', image: 'quay.io/old:1' },
        { name: 'web', image },
      ],
    });
    const update = { operation: 'UPDATE', oldSpec: two('ghcr.io/acme/web:1') };
    assert.equal((await ask(reviewOf({ ...update, spec: two('ghcr.io/acme/web:2') }))).allowed, true);
    assert.deepEqual(
      rows().map(({ container, image }) => [container, image]),
      [['web', 'ghcr.io/acme/web:2']],
    );
  });

  test('one that changes no image writes nothing', async () => {
    const { ask, rows, counts } = openReviewer(policies);
    const spec = { containers: [{ name: 'old', image: 'quay.io/old:1' }] };
    assert.deepEqual(await ask(reviewOf({ uid: 'x', operation: 'UPDATE', spec, oldSpec: spec })), {
      uid: 'x',
      allowed: true,
    });
    assert.deepEqual(rows(), []);
    assert.equal(counts().get('svc_admission_reviews_total nothing_new'), 1);
  });

  test('a pod that is being deleted is admitted, but not created so', async () => {
    const { ask, rows } = openReviewer(policies);
    const metadata = { deletionTimestamp: '2026-11-20T06:00:00Z' };
    const [spec, oldSpec] = [pod('quay.io/evil:2'), pod('quay.io/evil:1')];
    assert.equal((await ask(reviewOf({ operation: 'UPDATE', metadata, spec, oldSpec }))).allowed, true);
    assert.deepEqual(rows(), []);
    assert.equal((await ask(reviewOf({ metadata, spec }))).allowed, false);
  });

  test('an ephemeral container: only it is decided, not metered, and the reason ends with the subresource', async () => {
    const quota = 'node ceiling of 3 exceeded';
    const metered: string[] = [];
    const names = { refusal: () => quota, admitted: (more: readonly string[]) => void metered.push(...more) };
    const { ask, rows } = openReviewer(policies, { names });
    const before = pod('quay.io/old:1', { hostPID: true });
    const debug = (image: string, more: object = {}) => [{ name: 'debug', image, ...more }];
    const update = { operation: 'UPDATE', subResource: 'ephemeralcontainers', oldSpec: before };
    const good = { ...before, ephemeralContainers: debug('ghcr.io/acme/debug:1') };
    assert.equal(
      (await ask(reviewOf({ ...update, spec: good }))).allowed,
      true,
      'the pod had hostPID before',
    );
    const bad = { ...before, ephemeralContainers: debug('quay.io/evil:1') };
    assert.equal((await ask(reviewOf({ ...update, spec: bad }))).allowed, false);
    assert.deepEqual(
      rows().map(({ container, reason, subresource }) => [container, reason, subresource]),
      [
        ['debug', '; subresource ephemeralcontainers', 'ephemeralcontainers'],
        [
          'debug',
          'registry not allowed: quay.io/evil; subresource ephemeralcontainers',
          'ephemeralcontainers',
        ],
      ],
    );
    assert.deepEqual(metered, []);
    const privileged = debug('ghcr.io/acme/debug:1', { securityContext: { privileged: true } });
    const response = await ask(reviewOf({ ...update, spec: { ...before, ephemeralContainers: privileged } }));
    assert.equal(response.allowed, false);
    assert.match(
      response.status?.message ?? '',
      /^workload hardening: privileged; subresource ephemeralcontainers/,
    );
  });
});

suite('dry run, repeats, the meter and scans', () => {
  test('a server-side dry run decides and writes nothing', async () => {
    const opened = openReviewer([policyOf('{ enforcement: Enforce, allowedRegistries: [quay.io] }')]);
    const response = await opened.ask(reviewOf({ dryRun: true }));
    assert.equal(response.allowed, false);
    assert.match(response.status?.message ?? '', /registry not allowed/);
    const { rows, events, metered, wanted, counts } = opened;
    assert.deepEqual([rows(), events, metered, wanted], [[], [], [], []]);
    assert.deepEqual([...counts()], [['svc_admission_reviews_total dry_run', 1]]);
  });

  test('the same uid again gets the same answer, and is counted once', async () => {
    let policies = [policyOf('{ enforcement: Enforce, allowedRegistries: [quay.io] }')];
    const { ask, rows, counts } = openReviewer([], {
      policies: { current: () => policies, staleSince: () => null },
    });
    const body = reviewOf({ uid: 'same' });
    const first = await ask(body);
    policies = [policyOf('{}')];
    assert.deepEqual(await ask(body), first);
    assert.equal(rows().length, 1);
    assert.equal(counts().get('svc_admission_denials_total registry'), 1);
    assert.equal(counts().get('svc_admission_reviews_total repeat'), 1);
  });

  test('admitted names are metered, refused ones and those beside them are not', async () => {
    const { ask, metered } = openReviewer([
      policyOf('{ enforcement: Enforce, allowedRegistries: [ghcr.io, docker.io] }'),
    ]);
    await ask(reviewOf({ spec: pod('nginx:1') }));
    await ask(
      reviewOf({
        spec: pod('ghcr.io/acme/web:1', { initContainers: [{ name: 'i', image: 'quay.io/x:1' }] }),
      }),
    );
    assert.deepEqual(metered, ['docker.io/library/nginx']);
  });

  test('a name that the meter refuses is refused as quota, behind the gates before it', async () => {
    const names = {
      refusal: (name: string) => (name.startsWith('ghcr.io') ? 'node ceiling of 3 exceeded' : null),
      admitted: () => {},
    };
    const { ask, rows } = openReviewer([policyOf('{ enforcement: Enforce, denyLatestTag: true }')], {
      names,
    });
    await ask(reviewOf({ spec: pod('ghcr.io/acme/web:1') }));
    await ask(reviewOf({ spec: pod('ghcr.io/acme/web') }));
    assert.deepEqual(
      rows().map(({ label }) => label),
      ['quota', 'tag'],
    );
    const unmetered = openReviewer([policyOf('{ enforcement: Enforce, denyLatestTag: true }')]);
    await unmetered.ask(reviewOf({ spec: pod('ghcr.io/acme/web') }));
    assert.equal(
      rows()[1]?.inputs,
      unmetered.rows()[0]?.inputs,
      'what the meter said is no input of a refusal by another gate',
    );
  });

  test('a digest without a scan is wanted, also when it was refused for that', async () => {
    for (const timing of ['AllowAndScan', 'DenyUntilScanned']) {
      const { ask, wanted } = openReviewer([
        policyOf(`{ enforcement: Enforce, admissionTiming: ${timing} }`),
      ]);
      assert.equal((await ask(reviewOf({ spec: pod(WEB) }))).allowed, timing === 'AllowAndScan');
      assert.deepEqual(wanted, [DIGEST]);
    }
  });
});

suite('what is not a pod', () => {
  for (const [name, text] of [
    ['another resource', { resource: { group: 'apps', version: 'v1', resource: 'deployments' } }],
    ['another subresource', { subResource: 'exec' }],
    ['a DELETE', { operation: 'DELETE' }],
  ] as const) {
    test(`${name} is admitted with a warning, and not recorded`, async () => {
      const { ask, rows } = openReviewer([
        policyOf('{ enforcement: Enforce, allowedRegistries: [quay.io] }'),
      ]);
      const response = await ask(reviewOf(text));
      assert.equal(response.allowed, true);
      assert.match(response.warnings?.[0] ?? '', /^not decided: /);
      assert.deepEqual(rows(), []);
    });
  }
});

suite('when a part is down', () => {
  const enforcing = policyOf('{ enforcement: Enforce, allowedRegistries: [ghcr.io] }');
  const down = { append: async () => Promise.reject(new AppendError('unavailable', 'the spool is full')) };

  test('a ledger that takes nothing: Ignore admits with a warning and an event, Fail refuses; a refusal stands', async () => {
    for (const failurePolicy of ['Ignore', 'Fail'] as const) {
      const { ask, events, counts } = openReviewer([enforcing], { ledger: down }, { failurePolicy });
      const response = await ask(reviewOf());
      assert.equal(response.allowed, failurePolicy === 'Ignore');
      assert.ok(response.warnings?.includes('ledger unavailable: this review is not recorded'));
      if (failurePolicy === 'Fail')
        assert.match(response.status?.message ?? '', /^ledger unavailable.*the spool is full$/);
      assert.equal(events[0]?.kind, 'unrecorded');
      assert.equal(counts().get('svc_admission_unrecorded_total'), 1);
      const refused = await ask(reviewOf({ spec: pod('quay.io/evil:1') }));
      assert.equal(refused.allowed, false);
      assert.match(refused.status?.message ?? '', /registry not allowed/);
    }
  });

  test('a ledger that answers too late is one that took nothing', async () => {
    const waits: number[] = [];
    const timers = { after: (ms: number, act: () => void) => (waits.push(ms), setImmediate(act), () => {}) };
    const { ask } = openReviewer([enforcing], { ledger: { append: () => new Promise(() => {}) }, timers });
    const response = await ask(reviewOf());
    assert.deepEqual([response.allowed, waits], [true, [3000]]);
  });

  test('a ledger that is behind is said so', async () => {
    const ledger = { append: async () => ({ rows: [], repeat: false, delayed: true }) };
    const { ask } = openReviewer([enforcing], { ledger });
    assert.deepEqual((await ask(reviewOf())).warnings, ['ledger delayed']);
  });

  test('policies that are out of date are said so; without any the cluster decides', async () => {
    const policies = { current: () => [enforcing], staleSince: () => AT - 60_000 };
    const { ask } = openReviewer([], { policies });
    assert.deepEqual((await ask(reviewOf())).warnings, [
      'policies may be out of date since 2026-11-20T05:59:00Z',
    ]);
    const none = openReviewer([], { policies: { current: () => null, staleSince: () => null } });
    assert.deepEqual(await none.reviewer.review(reviewOf()), {
      ...{ status: 503, body: 'the policies have not been read yet', retryAfter: 1 },
    });
  });

  for (const [failurePolicy, allowed] of [
    ['Ignore', true],
    ['Fail', false],
  ] as const) {
    test(`a decision without the time to read facts says what is missing, and is recorded (${failurePolicy})`, async () => {
      const timers = { after: (ms: number, act: () => void) => (ms === 1500 && setImmediate(act), () => {}) };
      const facts = {
        known: () => undefined,
        read: () => new Promise<null>(() => {}),
        last: () => undefined,
      };
      const { ask, rows, counts, events } = openReviewer([enforcing], { facts, timers }, { failurePolicy });
      const response = await ask(reviewOf({ spec: pod(WEB) }));
      assert.equal(response.allowed, allowed);
      const [row] = rows();
      assert.deepEqual(
        [row?.allowed, row?.label, row?.reason, row?.inputs],
        [allowed, null, `image facts not available: ${WEB}, the database did not answer in time`, null],
      );
      assert.equal(counts().get('svc_admission_undecided_total no_facts'), 1);
      assert.ok(events.some(({ kind }) => kind === 'undecided'));
      // What needs no facts is decided all the same.
      const refused = await ask(reviewOf({ spec: pod(`quay.io/evil@${DIGEST}`) }));
      assert.match(refused.status?.message ?? '', /registry not allowed/);
    });
  }

  test('facts that cannot be read now are those that were known last', async () => {
    const facts = {
      known: () => undefined,
      read: () => Promise.reject(new Error('the database is down')),
      last: () => factsOf('CRITICAL'),
    };
    const { ask } = openReviewer([policyOf('{ enforcement: Enforce }')], { facts });
    assert.match((await ask(reviewOf({ spec: pod(WEB) }))).status?.message ?? '', /CVE-2026-1/);
  });

  test('a tag is looked up within the deadline, and has no digest when that gives none', async () => {
    for (const [found, label] of [
      [DIGEST, 'threshold'],
      [null, null],
    ] as const) {
      const lookup = {
        digestOf: async (reference: string) => {
          assert.equal(reference, 'ghcr.io/acme/web:1');
          return found === null ? { digest: null, why: 'ghcr.io has no such tag' } : { digest: found };
        },
      };
      const { ask, rows, facts } = openReviewer([policyOf('{ enforcement: Enforce }')], { lookup });
      facts.set(DIGEST, factsOf('CRITICAL'));
      await ask(reviewOf());
      assert.deepEqual([rows()[0]?.digest, rows()[0]?.label], [found, label]);
    }
    const never = { digestOf: () => new Promise<never>(() => {}) };
    const timers = { after: (ms: number, act: () => void) => (ms === 1500 && setImmediate(act), () => {}) };
    const { ask, rows } = openReviewer([policyOf('{ enforcement: Enforce }')], { lookup: never, timers });
    assert.equal((await ask(reviewOf())).allowed, true);
    assert.equal(rows()[0]?.digest, null);
  });

  test('a digest of another algorithm has no facts and stands in no row', async () => {
    const known: string[] = [];
    const facts = {
      known: (digest: string) => (known.push(digest), NO_FACTS),
      read: async () => null,
      last: () => null,
    };
    const { ask, rows } = openReviewer([policyOf('{ enforcement: Enforce }')], { facts });
    await ask(reviewOf({ spec: pod(`ghcr.io/acme/web@sha512:${'c'.repeat(128)}`) }));
    assert.deepEqual([known, rows()[0]?.digest, rows()[0]?.allowed], [[], null, true]);
  });

  test('a fault of ours is answered with 500, said and counted', async () => {
    const exposure = {
      of: () => {
        throw new TypeError('broken');
      },
    };
    const { reviewer, counts, logged } = openReviewer([policyOf('{ enforcement: Enforce }')], { exposure });
    const { status, body } = await reviewer.review(reviewOf());
    assert.deepEqual([status, body], [500, 'the review could not be answered']);
    assert.equal(counts().get('svc_admission_reviews_total failed'), 1);
    assert.deepEqual(logged, ['an admission review could not be answered']);
  });
});
