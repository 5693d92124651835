import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import {
  clusterSecrets,
  eventSink,
  imageReportObjects,
  policyReportObjects,
  writeCaBundle,
  type KubeObject,
} from '../../src/adapters/kubernetes/index.ts';
import {
  REPORT_NAME,
  writeImageReports,
  writePolicyReports,
  type LastReview,
  type ReportedImage,
  type ReportSource,
} from '../../src/cluster/index.ts';
import { severityRank, SEVERITIES, type Finding } from '../../src/findings/index.ts';
import type { Json } from './fake/objects.ts';
import { benchOf, onEveryServer, openFake, plainConnection } from './servers.ts';

const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;

const finding = (index: number): Finding => {
  const severity = SEVERITIES[index % SEVERITIES.length] ?? 'LOW';
  return {
    cve: `CVE-2026-${index}`,
    severity,
    rank: severityRank(severity) ?? 0,
    package: `lib${index}${'x'.repeat(300)}`,
    installed: '1.0',
    fixed: index % 2 === 0 ? '1.1' : null,
    knownExploited: index % 25 === 4,
    triagedUntil: null,
    triagedUntilMs: -Infinity,
  };
};

function sourceOf(images: Map<string, ReportedImage>, reviews: LastReview[] = []): ReportSource {
  return {
    images: async () =>
      [...images].map(([digest, image]) => ({ digest, version: JSON.stringify([image.state, image.name]) })),
    image: async (digest) => images.get(digest) ?? null,
    reviews: async () => reviews,
  };
}

const image = (letter: string, findings: readonly Finding[]): ReportedImage => ({
  digest: digest(letter),
  name: `ghcr.io/acme/shop:${letter}`,
  state: 'Compliant',
  scan: {
    scannedAt: '2026-11-20T10:00:00Z',
    scanner: { name: 'trivy', version: '0.60', dbUpdatedAt: null },
    os: { family: 'debian', name: '12', eosl: false },
    findings,
  },
  triage: [{ cve: 'CVE-2026-4', accountId: 'a7', reason: 'not reachable', until: 1_800_000_000_000 }],
});

interface Report extends KubeObject {
  readonly spec: { readonly digest: string; readonly image: string };
  readonly status: {
    readonly state: string;
    readonly scannedAt: string;
    readonly summary: Readonly<Record<string, number>>;
    readonly findings: readonly {
      readonly cve: string;
      readonly severity: string;
      readonly knownExploited?: boolean;
      readonly package: string;
    }[];
    readonly triage: readonly { readonly triagedBy: string }[];
  };
}

onEveryServer(
  'a ClusterImageReport has at most 1000 findings, most severe first, and is written only when it changes',
  async (_, { api, atEnd }) => {
    const letter = '0123456789abcdef'[Math.floor(Math.random() * 16)] ?? 'a';
    const name = `sha256-${letter.repeat(64)}`;
    const path = `/apis/ipo.dev/v1/clusterimagereports/${name}`;
    atEnd(() => api.find({ method: 'DELETE', path, what: 'it' }));
    const objects = imageReportObjects(api);
    const images = new Map([
      [
        digest(letter),
        image(
          letter,
          Array.from({ length: 1_500 }, (_, index) => finding(index)),
        ),
      ],
    ]);
    const round = (now = 1_763_000_000_000, leads = true) =>
      writeImageReports({ source: sourceOf(images), objects, now, leads: () => leads });
    assert.deepEqual(await round(0, false), { written: 0, removed: 0 });
    assert.equal((await round()).written, 1);
    const report = await api.call<Report>({ method: 'GET', path, what: 'it' });
    const { findings, summary } = report.status;
    assert.equal(findings.length, 1_000);
    assert.deepEqual(
      [summary['findings'], summary['listed'], summary['critical'], summary['unknown']],
      [1_500, 1_000, 300, 300],
    );
    const ranks = findings.map(({ severity }) => severityRank(severity) ?? -1);
    assert.deepEqual(
      ranks,
      ranks.toSorted((a, b) => b - a),
    );
    assert.equal(findings[0]?.knownExploited, true);
    assert.ok(findings.every((one) => one.package.length <= 256));
    assert.equal(report.status.scannedAt, '2026-11-20T10:00:00Z');
    assert.equal(report.status.triage[0]?.triagedBy, 'user:a7');
    assert.deepEqual(await round(), { written: 0, removed: 0 });
    images.set(digest(letter), { ...image(letter, [finding(4)]), state: 'Not compliant' });
    assert.equal((await round()).written, 1);
    const next = await api.call<Report>({ method: 'GET', path, what: 'it' });
    assert.deepEqual([next.status.state, next.status.findings.length], ['Not compliant', 1]);
    images.clear();
    assert.equal((await round()).removed, 1);
    assert.equal(await api.find({ method: 'GET', path, what: 'it' }), null);
  },
);

test('a report whose writing broke off is written again', async (t) => {
  const { fake, url } = await openFake();
  const { api } = benchOf(t, () => plainConnection(url), fake);
  const images = new Map([[digest('a'), image('a', [finding(4)])]]);
  const round = () =>
    writeImageReports({
      source: sourceOf(images),
      objects: imageReportObjects(api),
      now: 1,
      leads: () => true,
    });
  fake.faults.silent = ({ path }) => path.endsWith('/status');
  const broken = round();
  await new Promise((resolve) => setTimeout(resolve, 100));
  fake.faults.silent = null;
  fake.faults.breakAll();
  await assert.rejects(broken);
  assert.equal((await round()).written, 1);
  assert.equal((await round()).written, 0);
});

const review = (namespace: string, letter: string, more: Partial<LastReview> = {}): LastReview => ({
  ...{
    namespace,
    digest: digest(letter),
    image: `shop:${letter}`,
    at: 1_763_000_000_123,
    allowed: true,
    reason: '',
  },
  ...{ label: null, policy: 'baseline', breakGlass: false },
  ...more,
});

for (const kind of ['openreports', 'wgpolicy'] as const)
  test(`a report of each namespace is kept as ${kind} has them`, async (t) => {
    const { fake, url } = await openFake();
    const { api } = benchOf(t, () => plainConnection(url), fake);
    const objects = policyReportObjects(api, kind);
    const reviews = [
      review('shop', 'a'),
      review('shop', 'b', { allowed: false, reason: 'registry not allowed: x', label: 'registry' }),
      review('shop', 'c', { reason: 'audit mode: tag latest not allowed: y', label: 'tag' }),
      review('shop', 'd', { breakGlass: true, reason: 'break-glass' }),
      review('pay', 'a'),
    ];
    const round = () =>
      writePolicyReports(
        { source: sourceOf(new Map(), reviews), objects, now: 1, leads: () => true },
        REPORT_NAME,
      );
    assert.deepEqual(await round(), { written: 0, removed: 0 }, 'the kind is not installed');
    const [group, name, plural] =
      kind === 'openreports'
        ? ['openreports.io', 'Report', 'reports']
        : ['wgpolicyk8s.io', 'PolicyReport', 'policyreports'];
    const version = kind === 'openreports' ? 'v1alpha1' : 'v1alpha2';
    fake.define(reportDefinition(group, version, name, plural));
    assert.deepEqual(await round(), { written: 2, removed: 0 });
    const path = `/apis/${group}/${version}/namespaces/shop/${plural}/${REPORT_NAME}`;
    const report = await api.call<{
      summary: Json;
      results: { result: string; policy: string; rule?: string; timestamp: Json }[];
    }>({ method: 'GET', path, what: 'it' });
    assert.deepEqual(report.summary, { pass: 1, fail: 2, warn: 0, error: 0, skip: 1 });
    assert.deepEqual(
      report.results.map(({ result, rule }) => [result, rule ?? null]),
      [
        ['fail', 'registry'],
        ['fail', 'tag'],
        ['skip', null],
        ['pass', null],
      ],
    );
    assert.deepEqual(report.results[0]?.timestamp, { seconds: 1_763_000_000, nanos: 123_000_000 });
    assert.deepEqual(await round(), { written: 0, removed: 0 });
    reviews.pop();
    assert.deepEqual(await round(), { written: 0, removed: 1 });
  });

/** As the reports' own definitions have them, the fields that are used. */
function reportDefinition(group: string, version: string, kind: string, plural: string): Json {
  const text = { type: 'string' };
  const count = { type: 'integer' };
  const results = {
    type: 'object',
    required: ['policy'],
    properties: {
      ...{ policy: text, rule: text, message: text, source: text, category: text },
      result: { type: 'string', enum: ['pass', 'fail', 'warn', 'error', 'skip'] },
      scored: { type: 'boolean' },
      timestamp: {
        type: 'object',
        required: ['nanos', 'seconds'],
        properties: { nanos: count, seconds: count },
      },
      properties: { type: 'object', additionalProperties: text },
    },
  };
  const schema = {
    type: 'object',
    properties: {
      ...{ apiVersion: text, kind: text, metadata: { type: 'object' } },
      ...(kind === 'Report' && { source: text }),
      scope: { type: 'object', properties: { apiVersion: text, kind: text, name: text } },
      summary: {
        type: 'object',
        properties: { pass: count, fail: count, warn: count, error: count, skip: count },
      },
      results: { type: 'array', items: results },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: version, schema: { openAPIV3Schema: schema } }],
    },
  };
}

onEveryServer('an event is written once and counted after that', async (_, { api, name, atEnd }) => {
  const own = name('event');
  const path = `/apis/events.k8s.io/v1/namespaces/default/events/${own}`;
  atEnd(() => api.find({ method: 'DELETE', path, what: 'it' }));
  const sink = eventSink(api, 'ipo-1');
  const series = {
    event: {
      regarding: { apiVersion: 'v1', kind: 'Pod', name: 'checkout', namespace: 'default' },
      ...({
        type: 'Warning',
        reason: 'Unreviewed',
        action: 'Reconcile',
        note: 'no review of it is recorded',
      } as const),
    },
    name: own,
    firstAt: '2026-11-20T10:00:00.000000Z',
    count: 1,
    lastAt: '2026-11-20T10:00:00.000000Z',
  };
  assert.equal(await sink.again(series), false);
  await sink.create(series);
  assert.equal(await sink.again({ ...series, count: 3, lastAt: '2026-11-20T10:05:00.000000Z' }), true);
  const event = await api.call<Json>({ method: 'GET', path, what: 'it' });
  assert.equal((event['series'] as Json)['count'], 3);
  assert.deepEqual(
    [event['reason'], event['type'], event['note']],
    ['Unreviewed', 'Warning', 'no review of it is recorded'],
  );
});

onEveryServer(
  'a Secret is written in the version that was read, and its contents come back byte for byte',
  async (_, { api, name, atEnd }) => {
    const own = name('secret');
    const secrets = clusterSecrets(api, 'default');
    atEnd(() =>
      api.find({ method: 'DELETE', path: `/api/v1/namespaces/default/secrets/${own}`, what: 'it' }),
    );
    assert.equal(await secrets.read(own), null);
    const data = new Map([
      ['tls.key', Buffer.from([0, 255, 10, 13])],
      ['tls.crt', Buffer.from('x')],
    ]);
    const made = await secrets.write(own, 'kubernetes.io/tls', data, null);
    assert.ok(made);
    assert.deepEqual(made.data, data);
    assert.equal(await secrets.write(own, 'kubernetes.io/tls', data, null), null);
    const next = await secrets.write(
      own,
      'kubernetes.io/tls',
      new Map([...data, ['tls.crt', Buffer.from('y')]]),
      made.version,
    );
    assert.equal(next?.data.get('tls.crt')?.toString(), 'y');
    assert.equal(await secrets.write(own, 'kubernetes.io/tls', data, made.version), null);
  },
);

const configuration = (name: string, url: string, rules: readonly string[], more: Json = {}): Json => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: ['pods', 'others'].map((part) => ({
    name: `${part}.ipo.dev`,
    clientConfig: { url },
    admissionReviewVersions: ['v1'],
    sideEffects: 'NoneOnDryRun',
    failurePolicy: 'Ignore',
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['CREATE', 'UPDATE'],
        resources: part === 'pods' ? rules : ['bindings'],
      },
    ],
    ...more,
  })),
});

onEveryServer(
  'the authority of every webhook of a configuration is set, and nothing else of it',
  async (_, bench) => {
    const name = bench.name('hooks');
    await bench.put(configuration(name, 'https://127.0.0.1:1/admission/pods', ['bindings']));
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const real = bench.fake === null;
    // A real API server takes certificates alone; one that it does not take is an error that says so.
    if (real) {
      await assert.rejects(writeCaBundle(bench.api, name, pem), /caBundle/);
      return;
    }
    assert.equal(await writeCaBundle(bench.api, name, pem), true);
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`;
    const read = () =>
      bench.api.call<KubeObject & { webhooks: { clientConfig: Json; failurePolicy: string }[] }>({
        method: 'GET',
        path,
        what: 'it',
      });
    const written = await read();
    for (const { clientConfig, failurePolicy } of written.webhooks) {
      assert.equal(Buffer.from(String(clientConfig['caBundle']), 'base64').toString(), pem);
      assert.equal(failurePolicy, 'Ignore');
    }
    assert.equal(await writeCaBundle(bench.api, name, pem), true);
    assert.equal((await read()).metadata?.resourceVersion, written.metadata?.resourceVersion);
    assert.equal(await writeCaBundle(bench.api, `${name}-none`, pem), false);
  },
);

test('the fake calls webhooks as the API server does: denials, warnings, dry runs, subresources, namespaces, failures', async (t) => {
  const reviews: Json[] = [];
  let answer: (request: Json) => Json | null = () => ({ allowed: true });
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const { request: asked } = JSON.parse(Buffer.concat(parts).toString()) as { request: Json };
    reviews.push(asked);
    const said = answer(asked);
    response.end(
      said === null
        ? 'no'
        : JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            response: { uid: asked['uid'], ...said },
          }),
    );
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { fake, url } = await openFake();
  const bench = benchOf(t, () => plainConnection(url), fake);
  const selector = {
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
    },
  };
  await bench.put(
    configuration(
      'hooks',
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      ['pods', 'pods/ephemeralcontainers'],
      selector,
    ),
  );
  const pod = (name: string, namespace = 'shop'): Json => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  });
  const create = (body: Json, query = {}) =>
    bench.api.call<KubeObject>({
      method: 'POST',
      path: `/api/v1/namespaces/${(body['metadata'] as Json)['namespace'] as string}/pods`,
      query,
      body,
      what: 'the pod',
    });

  await create(pod('one'));
  assert.deepEqual(
    [reviews[0]?.['operation'], reviews[0]?.['namespace'], reviews[0]?.['dryRun']],
    ['CREATE', 'shop', false],
  );
  await create(pod('two', 'kube-system'));
  assert.equal(reviews.length, 1);
  await create(pod('dry'), { dryRun: 'All' });
  assert.equal(reviews[1]?.['dryRun'], true);
  assert.equal(
    await bench.api.find({ method: 'GET', path: '/api/v1/namespaces/shop/pods/dry', what: 'it' }),
    null,
  );
  answer = () => ({ allowed: false, status: { message: 'registry not allowed: a' } });
  await assert.rejects(create(pod('three')), /denied the request: registry not allowed: a/);
  answer = () => null;
  await create(pod('four'));
  answer = () => ({ allowed: true });
  await bench.api.call({
    method: 'PATCH',
    patch: 'merge',
    path: '/api/v1/namespaces/shop/pods/one/ephemeralcontainers',
    body: { spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] } },
    what: 'it',
  });
  const last = reviews.at(-1);
  assert.deepEqual([last?.['operation'], last?.['subResource']], ['UPDATE', 'ephemeralcontainers']);
});
