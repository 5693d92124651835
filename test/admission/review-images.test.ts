import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseManifest } from '../../src/manifests/index.ts';
import { AT, DIGEST, factsOf, openReviewer, policyOf, reviewOf } from './reviews.ts';

const enforcing = policyOf('{ enforcement: Enforce, allowedRegistries: [ghcr.io] }');
const withVolume = (reference: unknown, more: object = {}) => ({
  containers: [{ name: 'web', image: 'ghcr.io/acme/web:1' }],
  volumes: [
    { name: 'scratch', emptyDir: {} },
    { name: 'models', image: { reference, pullPolicy: 'IfNotPresent' } },
  ],
  ...more,
});

suite('the image of a volume', () => {
  test('is decided, recorded, metered and scanned as that of a container: a container may run what is in it', async () => {
    const { ask, rows, metered, wanted } = openReviewer([enforcing]);
    const response = await ask(reviewOf({ spec: withVolume('quay.io/evil/tools:1') }));
    assert.equal(response.allowed, false);
    assert.equal(
      response.status?.message,
      'volume models: registry not allowed: quay.io/evil/tools (policy shop)',
    );
    assert.deepEqual(
      rows().map(({ container, image, allowed }) => [container, image, allowed]),
      [
        ['web', 'ghcr.io/acme/web:1', true],
        ['volume/models', 'quay.io/evil/tools:1', false],
      ],
    );
    await ask(reviewOf({ spec: withVolume(`ghcr.io/acme/models@${DIGEST}`) }));
    assert.deepEqual(metered, ['ghcr.io/acme/web', 'ghcr.io/acme/models']);
    assert.deepEqual(wanted, [DIGEST]);
  });

  test('one that names nothing, or is not readable, passes no enforcing policy', async () => {
    for (const reference of ['', undefined, 7, ['a']]) {
      const { ask } = openReviewer([enforcing]);
      assert.equal((await ask(reviewOf({ spec: withVolume(reference) }))).allowed, false, String(reference));
    }
  });

  test('on an UPDATE only a new one is decided', async () => {
    const { ask, rows } = openReviewer([enforcing]);
    const oldSpec = withVolume('quay.io/old:1');
    const spec = withVolume('quay.io/old:1', { containers: [{ name: 'web', image: 'ghcr.io/acme/web:2' }] });
    assert.equal((await ask(reviewOf({ operation: 'UPDATE', oldSpec, spec }))).allowed, true);
    assert.deepEqual(
      rows().map(({ container }) => container),
      ['web'],
    );
  });

  test('it warns under its own name', async () => {
    const { ask } = openReviewer([policyOf('{ digestEnforcement: warn }')]);
    const { warnings } = await ask(reviewOf({ spec: withVolume('ghcr.io/acme/models:1') }));
    assert.ok(warnings?.includes('volume models: digest required: ghcr.io/acme/models:1'));
  });

  test('it stands in manifests too, with its line', () => {
    const text = `apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers: [{ name: web, image: a }]
  volumes:
    - name: models
      image:
        reference: ghcr.io/acme/models:1
`;
    const [workload] = parseManifest(text, 'pod.yaml', 'shop').workloads;
    const volume = workload?.images.find(({ role }) => role === 'volume');
    assert.deepEqual(
      [volume?.container, volume?.image, volume?.line],
      ['volume/models', 'ghcr.io/acme/models:1', 9],
    );
  });
});

suite('a pod of many images', () => {
  const vulnerable = (count: number) => {
    const facts = factsOf('CRITICAL');
    const [finding] = facts.scan?.findings ?? [];
    const findings = Array.from({ length: count }, (_, i) => ({
      ...finding!,
      cve: `CVE-2026-${10_000 + i}`,
    }));
    return { ...facts, scan: { ...facts.scan!, findings } };
  };
  const containers = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `c${i}`, image: `ghcr.io/acme/web:${i}@${DIGEST}` }));

  test('what is recorded of one review is bounded, however many findings its images share', async () => {
    const { ask, rows, facts } = openReviewer([policyOf('{ enforcement: Enforce }')]);
    facts.set(DIGEST, vulnerable(2_000));
    assert.equal((await ask(reviewOf({ spec: { containers: containers(300) } }))).allowed, false);
    assert.equal(rows().length, 300);
    const length = rows().reduce((sum, { reason }) => sum + reason.length, 0);
    assert.ok(length <= 2_000_000, String(length));
    assert.match(rows()[299]?.reason ?? '', /^vulnerabilities at or above CRITICAL: CVE-2026-10000, .*…$/);
  });

  test('an ordinary pod keeps every sentence whole', async () => {
    const { ask, rows, facts } = openReviewer([policyOf('{ enforcement: Enforce }')]);
    facts.set(DIGEST, vulnerable(5_000));
    await ask(reviewOf({ spec: { containers: containers(10) } }));
    assert.ok(rows().every(({ reason }) => reason.endsWith('CVE-2026-14999')));
  });

  test('beyond 300 it is refused', async () => {
    const { ask } = openReviewer([enforcing]);
    const volumes = [{ name: 'v', image: { reference: 'ghcr.io/acme/models:1' } }];
    const response = await ask(reviewOf({ spec: { containers: containers(300), volumes } }));
    assert.equal(response.status?.message, 'not readable: the pod names more than 300 images');
    assert.equal((await ask(reviewOf({ spec: { containers: containers(300) } }))).allowed, true);
  });
});

suite('time', () => {
  test('a clock that is set while facts are read takes nothing from the time for the ledger', async () => {
    for (const step of [86_400_000, -86_400_000]) {
      let now = AT;
      const waits: number[] = [];
      const { ask } = openReviewer([enforcing], {
        clock: { now: () => now },
        timers: { after: (ms) => (waits.push(ms), () => {}) },
        facts: {
          known: () => undefined,
          read: async () => ((now += step), null),
          last: () => undefined,
        },
      });
      await ask(reviewOf({ spec: { containers: [{ name: 'a', image: `ghcr.io/a/b@${DIGEST}` }] } }));
      const [deadline = 0, ledger = 0] = waits;
      assert.equal(deadline, 1500);
      assert.ok(ledger > 1500 && ledger <= 3000, String(ledger));
    }
  });

  test('an audit records what it refuses without the facts that there was no time for', async () => {
    const timers = { after: (ms: number, act: () => void) => (ms === 1500 && setImmediate(act), () => {}) };
    const facts = { known: () => undefined, read: () => new Promise<null>(() => {}), last: () => undefined };
    const { ask, rows, counts } = openReviewer([policyOf('{ allowedRegistries: [ghcr.io] }')], {
      facts,
      timers,
    });
    const image = `quay.io/evil@${DIGEST}`;
    const response = await ask(reviewOf({ spec: { containers: [{ name: 'web', image }] } }));
    assert.equal(response.allowed, true);
    assert.deepEqual(
      [rows()[0]?.label, rows()[0]?.reason, rows()[0]?.inputs],
      ['registry', 'audit mode: registry not allowed: quay.io/evil', null],
    );
    assert.ok(
      response.warnings?.includes(
        `container web: image facts not available: ${image}, the database did not answer in time`,
      ),
    );
    assert.equal(counts().get('svc_admission_undecided_total no_facts'), 1);
  });

  test('rows that are taken after the answer are told of', async () => {
    let take = (): void => {};
    const timers = { after: (ms: number, act: () => void) => (ms > 1500 && setImmediate(act), () => {}) };
    const ledger = {
      append: () =>
        new Promise<{ rows: []; repeat: boolean; delayed: boolean }>((resolve) => {
          take = () => resolve({ rows: [], repeat: false, delayed: false });
        }),
    };
    const { ask, logged } = openReviewer([enforcing], { ledger, timers }, { failurePolicy: 'Fail' });
    assert.equal((await ask(reviewOf())).allowed, false);
    take();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(logged, [
      'the ledger did not take an admission review',
      'the ledger took an admission review after it had been answered',
    ]);
  });
});

suite('what exposes pods', () => {
  test('no review is answered before it has been read, and what may be old is said', async () => {
    let unread: string | null = 'the services of the cluster were not read yet';
    let since: number | null = null;
    const exposure = { of: () => null, unready: () => unread, staleSince: () => since };
    const { ask, reviewer, rows } = openReviewer([enforcing], { exposure });
    assert.deepEqual(await reviewer.review(reviewOf()), { status: 503, body: unread, retryAfter: 1 });
    assert.deepEqual(await reviewer.reviewOversized(reviewOf()), {
      status: 503,
      body: unread,
      retryAfter: 1,
    });
    assert.deepEqual([reviewer.unready(), rows()], [unread, []]);
    unread = null;
    assert.equal(reviewer.unready(), null);
    since = AT - 60_000;
    assert.deepEqual((await ask(reviewOf())).warnings, [
      'what exposes the pod may be out of date since 2026-11-20T05:59:00Z',
    ]);
  });
});
