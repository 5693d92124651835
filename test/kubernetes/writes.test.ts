import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { certificateMaker } from '../../src/adapters/certificates/index.ts';
import {
  clusterSecrets,
  eventSink,
  writeCaBundle,
  type KubeObject,
} from '../../src/adapters/kubernetes/index.ts';
import type { Json } from './fake/objects.ts';
import { benchOf, onEveryServer, openFake, plainConnection } from './servers.ts';

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
    // Newer API servers take certificates alone.
    const at = Date.now();
    const { cert: pem } = await certificateMaker.makeAuthority({ from: at, to: at + 60_000 });
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
