import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Exposure } from '../../src/pods/index.ts';
import { auditLines, AuditRecorder } from '../../src/recording/index.ts';

const exposure = new Exposure([], []);
let serial = 0;
const event = (
  more: Record<string, unknown> = {},
  spec: unknown = { containers: [{ name: 'web', image: 'ghcr.io/a/web:1' }] },
) => ({
  ...{
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: `id-${(serial += 1)}`,
  },
  ...{ stage: 'ResponseComplete', requestURI: '/api/v1/namespaces/shop/pods', verb: 'create' },
  user: { username: 'jane', groups: ['a'] },
  objectRef: { resource: 'pods', namespace: 'shop', name: 'web', apiVersion: 'v1' },
  responseStatus: { code: 201 },
  requestObject: { kind: 'Pod', metadata: { name: 'web' }, spec },
  responseObject: { kind: 'Pod', metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, spec },
  requestReceivedTimestamp: '2026-11-20T06:00:00.000001Z',
  ...more,
});

function record(...events: readonly unknown[]) {
  const recorder = new AuditRecorder(exposure);
  for (const one of events) recorder.take(typeof one === 'string' ? one : JSON.stringify(one));
  return { rows: recorder.finish('prod'), counts: recorder.counts() };
}

test('a created pod is a row for each image, with who asked under a pseudonym', () => {
  const spec = {
    containers: [{ name: 'a', image: 'x/a:1' }],
    initContainers: [{ name: 'i', image: 'x/i:1' }],
    hostPID: true,
  };
  const { rows, counts } = record(event({}, spec));
  assert.deepEqual(
    rows.map(({ container, image }) => [container, image]),
    [
      ['i', 'x/i:1'],
      ['a', 'x/a:1'],
    ],
  );
  const [row] = rows;
  assert.deepEqual(
    [row?.allowed, row?.review_allowed, row?.cluster, row?.namespace, row?.pod, row?.pod_uid],
    [true, true, 'prod', 'shop', 'web', 'u1'],
  );
  assert.match(row?.requester ?? '', /^k8s-user:[0-9a-f]{16}$/);
  assert.deepEqual(row?.signals, ['root', 'hostNamespace']);
  assert.equal(counts.reviews, 1);
});

test('an event that is not an admission gives no row, and is counted', () => {
  const { rows, counts } = record(
    event({ stage: 'RequestReceived' }),
    event({ requestURI: '/api/v1/namespaces/shop/pods?dryRun=All' }),
    event({ level: 'Metadata', requestObject: undefined, responseObject: undefined }),
    event({
      responseStatus: { code: 403, message: 'pods is forbidden: User "jane" cannot create' },
      responseObject: { kind: 'Status' },
    }),
    event({ responseStatus: { code: 422 }, responseObject: { kind: 'Status' } }),
    event({ objectRef: { resource: 'pods', subresource: 'binding', namespace: 'shop' } }),
    event({ objectRef: { resource: 'deployments', apiGroup: 'apps' } }),
    event({
      requestObject: { kind: 'Pod', spec: { containers: 'x' } },
      responseObject: { kind: 'Pod', spec: { containers: 'x' } },
    }),
    '{"kind":"Event","objectRef":{"resource":"pods"',
    'null',
  );
  assert.deepEqual(rows, []);
  assert.deepEqual(
    { ...counts },
    {
      ...{
        metadata_level: 1,
        other_stage: 1,
        dry_run: 1,
        other_subresource: 1,
        denied_by_others: 1,
        not_carried_out: 1,
      },
      ...{
        no_images: 0,
        unreadable: 3,
        reviews: 0,
        repeated: 0,
        updates_without_images: 0,
        updates_of_unknown_pods: 0,
      },
    },
  );
});

test('our denial is told of the image that it is about, with label and policy', () => {
  const message =
    'admission webhook "pods.ipo.dev" denied the request: container web: registry not allowed: docker.io/library/nginx (policy prod)';
  const spec = {
    containers: [
      { name: 'web', image: 'nginx' },
      { name: 'side', image: 'ghcr.io/a/s:1' },
    ],
  };
  const { rows } = record(
    event({ responseStatus: { code: 403, message }, responseObject: { kind: 'Status' } }, spec),
  );
  assert.deepEqual(
    rows.map((row) => [row.container, row.allowed, row.review_allowed, row.label, row.policy, row.reason]),
    [
      ['web', false, false, 'registry', 'prod', 'registry not allowed: docker.io/library/nginx'],
      ['side', true, false, null, null, ''],
    ],
  );
});

test('an update brings the images that are new or changed, and a debug container is one of them', () => {
  const after = {
    containers: [
      { name: 'web', image: 'ghcr.io/a/web:2' },
      { name: 'b', image: 'b:1' },
    ],
  };
  const before = {
    containers: [
      { name: 'web', image: 'ghcr.io/a/web:1' },
      { name: 'b', image: 'b:1' },
    ],
  };
  const debug = { ...after, ephemeralContainers: [{ name: 'debug', image: 'busybox:1' }] };
  const { rows, counts } = record(
    event(
      { verb: 'patch', responseStatus: { code: 200 }, requestReceivedTimestamp: '2026-11-20T07:00:00Z' },
      after,
    ),
    event({}, before),
    event(
      { verb: 'update', responseStatus: { code: 200 }, requestReceivedTimestamp: '2026-11-20T08:00:00Z' },
      after,
    ),
    event(
      {
        verb: 'patch',
        responseStatus: { code: 200 },
        requestReceivedTimestamp: '2026-11-20T09:00:00Z',
        objectRef: { resource: 'pods', subresource: 'ephemeralcontainers', namespace: 'shop', name: 'web' },
        requestObject: { spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox:1' }] } },
      },
      debug,
    ),
  );
  assert.deepEqual(
    rows.map(({ image, subresource }) => [image, subresource]),
    [
      ['ghcr.io/a/web:1', null],
      ['b:1', null],
      ['ghcr.io/a/web:2', null],
      ['busybox:1', 'ephemeralcontainers'],
    ],
  );
  assert.equal(counts.updates_without_images, 1);
  const alone = record(event({ verb: 'update', responseStatus: { code: 200 } }));
  assert.deepEqual([alone.rows.length, alone.counts.updates_of_unknown_pods], [0, 1]);
});

test('the same events in any order, repeated, in lists, cut into any pieces, give the same rows', async () => {
  serial = 0;
  const events = Array.from({ length: 12 }, (_, i) =>
    event(
      { requestReceivedTimestamp: `2026-11-20T06:00:${String(i % 5).padStart(2, '0')}Z` },
      {
        containers: [{ name: 'web', image: `ghcr.io/ä/web:${i}`.replace('ä', 'a') }],
      },
    ),
  );
  const noise =
    '{"kind":"Event","verb":"list","objectRef":{"resource":"pods"}}\n{"objectRef":{"resource":"nodes"}}\n';
  const want = record(...events).rows;
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...events, ...events.slice(3)], { minLength: 21, maxLength: 21 }),
      fc.integer({ min: 1, max: 4000 }),
      fc.boolean(),
      async (mixed, size, spaced) => {
        const text = mixed
          .map(
            (one) =>
              `${noise}${spaced ? JSON.stringify(one).replaceAll('":', '": ') : JSON.stringify(one)}\n`,
          )
          .join('');
        const bytes = Buffer.from(`${text}{"cut":"pods"`);
        async function* chunks() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        }
        const recorder = new AuditRecorder(exposure);
        const bad: number[] = [];
        for await (const line of auditLines(chunks(), (n) => bad.push(n)))
          if (!recorder.take(line.text)) bad.push(line.number);
        assert.deepEqual(recorder.finish('prod'), want);
        assert.deepEqual(bad, [mixed.length * 3 + 1]);
      },
    ),
    { numRuns: 60 },
  );
});

test('a line beyond eight megabytes is passed over and told', async () => {
  const good = JSON.stringify(event());
  async function* chunks() {
    yield Buffer.from(`${good}\n{"objectRef":{"resource":"pods"},"x":"`);
    for (let i = 0; i < 9; i += 1) yield Buffer.alloc(1024 * 1024, 120);
    yield Buffer.from(`"}\n${good}\n`);
  }
  const long: number[] = [];
  const lines = [];
  for await (const line of auditLines(chunks(), (n) => long.push(n))) lines.push(line.number);
  assert.deepEqual([lines, long], [[1, 3], [2]]);
});
