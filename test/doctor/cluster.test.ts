import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { KubernetesApi } from '../../src/adapters/kubernetes/index.ts';
import { clusterFacts } from '../../src/app/doctor/cluster-facts.ts';
import { customResourceDefinitions } from '../../src/cluster/index.ts';
import {
  CLUSTER_CHECKS,
  ENFORCE_VERBS,
  examine,
  REQUIRED_VERBS,
  type State,
} from '../../src/doctor/index.ts';
import { scratchDirectory } from '../app/running.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { FakeApiServer } from '../kubernetes/fake/api-server.ts';
import type { Json } from '../kubernetes/fake/objects.ts';
import { StatusError } from '../kubernetes/fake/status-error.ts';
import { plainConnection } from '../kubernetes/servers.ts';
import {
  base64,
  makeMaterial,
  NAMESPACE,
  soundObjects,
  webhookOf,
  type Material,
  type Objects,
} from './cluster-objects.ts';
import { holdsFault, wrong } from './seeded.ts';

const NOW = Date.now();
let made: Promise<Material> | null = null;

/** Seed changes an installation before it is put into a cluster. */
type Seed = (objects: Objects, material: Material, fake: FakeApiServer, definitions: Json[]) => void;

type Value = string | number | readonly unknown[] | ((material: Material) => string) | undefined;

/** change puts values at paths of one object; undefined takes away what is there. */
const change =
  (key: string, values: Readonly<Record<string, Value>>): Seed =>
  (objects, material) => {
    const copy = structuredClone(objects.get(key)) as Json;
    for (const [path, value] of Object.entries(values))
      put(copy, path.split('.'), typeof value === 'function' ? value(material) : value);
    objects.set(key, copy);
  };
const without =
  (key: string): Seed =>
  (objects) =>
    void objects.delete(key);
const WEBHOOK = 'ValidatingWebhookConfiguration/ipo';
const webhook = (values: Readonly<Record<string, Value>>): Seed =>
  change(
    WEBHOOK,
    Object.fromEntries(Object.entries(values).map(([path, value]) => [`webhooks.0.${path}`, value])),
  );
/** Another certificate in the Secret; the name of its field has a dot. */
const serving =
  (of: (material: Material) => string): Seed =>
  (objects, material) => {
    const secret = structuredClone(objects.get('Secret/ipo-webhook-tls')) as Json;
    objects.set('Secret/ipo-webhook-tls', { ...secret, data: { 'tls.crt': base64(of(material)) } });
  };
const NAMES = 'namespaceSelector.matchExpressions.0.values';

function put(inside: unknown, [step = '', ...rest]: readonly string[], value: unknown): void {
  const object = inside as Record<string, unknown>;
  if (rest.length > 0) put(object[step], rest, value);
  else if (value === undefined) delete object[step];
  else object[step] = value;
}

async function start(t: TestContext, seed: Seed): Promise<string> {
  const fake = new FakeApiServer();
  t.after(() => fake.close());
  const material = await (made ??= makeMaterial(NOW));
  const objects = soundObjects(material, NOW);
  const definitions = customResourceDefinitions().map((one) => structuredClone(one) as Json);
  seed(objects, material, fake, definitions);
  for (const definition of definitions) fake.define(definition);
  for (const object of objects.values()) fake.seed(object);
  return fake.listen();
}

async function examined(t: TestContext, seed: Seed = () => undefined, namespace = NAMESPACE) {
  const api = new KubernetesApi(plainConnection(await start(t, seed)), 'test');
  t.after(() => api.close());
  return examine(CLUSTER_CHECKS, 'cluster', await clusterFacts(api, namespace, '1.3.7'), NOW);
}

const FAULTS: readonly (readonly [string, Seed, string, Exclude<State, 'ok'>, RegExp])[] = [
  [
    'definition missing',
    (_o, _m, _f, definitions) => void definitions.shift(),
    'cluster.definitions',
    'fail',
    /imagepolicies\.ipo\.dev is missing/,
  ],
  [
    'definition of an earlier release',
    (_o, _m, _f, [first]) =>
      put(
        first,
        'spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.vex'.split('.'),
        undefined,
      ),
    'cluster.definitions',
    'warn',
    /not that of this release/,
  ],
  [
    'pod not ready',
    change('Pod/ipo-1', {
      'status.conditions': [],
      'status.containerStatuses': [{ state: { waiting: { reason: 'ImagePullBackOff' } } }],
    }),
    'cluster.pods',
    'fail',
    /ipo-1 is not ready: ImagePullBackOff/,
  ],
  [
    'pod restarting',
    change('Pod/ipo-1', { 'status.containerStatuses.0.restartCount': 9 }),
    'cluster.pods',
    'warn',
    /9 times/,
  ],
  ['pod missing', without('Pod/ipo-1'), 'cluster.pods', 'fail', /1 of 2 pods/],
  [
    'two releases at once',
    change('Pod/ipo-1', { 'spec.containers.0.image': 'registry.example.com/ipo:1.3.6' }),
    'cluster.versions',
    'warn',
    /2 images/,
  ],
  [
    'volume not bound',
    change('PersistentVolumeClaim/data-ipo-0', { 'status.phase': 'Pending' }),
    'cluster.storage',
    'fail',
    /data-ipo-0/,
  ],
  ['Secret of DATA_KEY missing', without('Secret/ipo-data-key'), 'cluster.data-key', 'fail', /missing/],
  [
    'DATA_KEY invalid',
    change('Secret/ipo-data-key', { 'data.DATA_KEY': base64('short') }),
    'cluster.data-key',
    'fail',
    /32 bytes/,
  ],
  [
    'Lease held by a dead pod',
    change('Lease/ipo-leader', { 'spec.holderIdentity': 'ipo-7_1' }),
    'leader.lease',
    'fail',
    /ipo-7_1, which is not a pod/,
  ],
  [
    'Lease not renewed',
    change('Lease/ipo-leader', { 'spec.renewTime': new Date(NOW - 3_600_000).toISOString() }),
    'leader.lease',
    'fail',
    /1h ago/,
  ],
  ['no Lease', without('Lease/ipo-leader'), 'leader.lease', 'fail', /no replica holds/],
  [
    'reviews of rights not allowed',
    (_o, _m, fake) => void (fake.denied = null),
    'rbac.verbs',
    'warn',
    /may not read which permissions/,
  ],
  ['webhook missing', without(WEBHOOK), 'webhook.configuration', 'fail', /no pod is reviewed/],
  [
    'second webhook',
    (objects, { ca }) => void objects.set('second', webhookOf('old', 'ipo-old', ca)),
    'webhook.configuration',
    'warn',
    /2 webhooks.*old/,
  ],
  [
    'caBundle empty',
    webhook({ 'clientConfig.caBundle': undefined }),
    'webhook.ca-bundle',
    'fail',
    /no caBundle/,
  ],
  [
    'caBundle not a certificate',
    webhook({ 'clientConfig.caBundle': base64('nothing') }),
    'webhook.ca-bundle',
    'fail',
    /not a certificate/,
  ],
  [
    'caBundle of another CA',
    webhook({ 'clientConfig.caBundle': ({ other }) => base64(other) }),
    'webhook.ca-bundle',
    'fail',
    /another authority/,
  ],
  ['certificate expired', serving(({ ended }) => ended), 'webhook.certificate', 'fail', /ended at/],
  [
    'certificate for another name',
    serving(({ stranger }) => stranger),
    'webhook.certificate',
    'fail',
    /not for ipo-webhook/,
  ],
  ['webhook Service missing', without('Service/ipo-webhook'), 'webhook.endpoints', 'fail', /missing/],
  [
    'webhook Service without endpoints',
    change('EndpointSlice/ipo-webhook-1', { endpoints: [{ conditions: { ready: false } }] }),
    'webhook.endpoints',
    'fail',
    /no ready pod/,
  ],
  [
    'API server does not reach the webhook',
    (_o, _m, fake) => {
      const text = 'error trying to reach service: dial tcp 10.244.1.7:8443: i/o timeout';
      fake.faults.answer = ({ path }) =>
        path.endsWith('/services/https:ipo-webhook:webhook/proxy/')
          ? new StatusError(503, 'ServiceUnavailable', text)
          : null;
    },
    'webhook.reachable',
    'fail',
    /dial tcp 10\.244\.1\.7:8443: i\/o timeout/,
  ],
  [
    'Fail without exempting its own namespace',
    webhook({ failurePolicy: 'Fail', [NAMES]: ['kube-system'] }),
    'webhook.failure-policy',
    'fail',
    /does not leave out ipo-system/,
  ],
  [
    'API server without the path of the webhook',
    webhook({ 'clientConfig.service.path': undefined }),
    'webhook.path',
    'fail',
    /no secret path/,
  ],
  [
    'webhook does not name pods',
    webhook({ 'rules.0.resources': ['deployments'], 'rules.1.resources': ['deployments'] }),
    'webhook.rules',
    'fail',
    /does not name pods/,
  ],
  [
    'webhook of an earlier chart',
    webhook({ 'rules.1.resources': ['pods'] }),
    'webhook.rules',
    'warn',
    /ephemeralcontainers/,
  ],
  ['webhook waits long', webhook({ timeoutSeconds: 30 }), 'webhook.timeout', 'warn', /30 s/],
];

test('a sound installation has no check that warns or fails', async (t) => {
  const checks = await examined(t);
  assert.deepEqual(wrong(checks), []);
  assert.ok(checks.length >= 14, String(checks.length));
});

test('failurePolicy Fail is ok where the own namespace is left out, and Ignore is ok', async (t) => {
  assert.deepEqual(wrong(await examined(t, webhook({ failurePolicy: 'Fail' }))), []);
});

for (const [fault, seed, id, state, says] of FAULTS)
  test(`cluster: ${fault} is named by ${id}`, async (t) => {
    holdsFault(await examined(t, seed), fault, id, state, says);
  });

for (const { resource, verbs } of REQUIRED_VERBS)
  test(`cluster: a role without the verbs of ${resource} is named by rbac.verbs, verb by verb`, async (t) => {
    const lacks = verbs.map((verb) => `${verb} ${resource}`);
    const checks = await examined(t, (_o, _m, fake) => void (fake.denied = new Set(lacks)));
    for (const what of lacks) holdsFault(checks, what, 'rbac.verbs', 'fail', new RegExp(`may not ${what}$`));
  });

test('cluster: the verbs that delete pods are asked for only where the chart allows it', async (t) => {
  const lacks = ENFORCE_VERBS.flatMap(({ resource, verbs }) => verbs.map((verb) => `${verb} ${resource}`));
  const deny = (fake: FakeApiServer) => void (fake.denied = new Set(lacks));
  assert.deepEqual(wrong(await examined(t, (_o, _m, fake) => deny(fake))), []);
  const checks = await examined(t, (objects, _m, fake) => {
    deny(fake);
    const config = objects.get('ConfigMap/ipo');
    objects.set('ConfigMap/ipo', {
      ...config,
      data: { 'config.yaml': 'reconcile:\n  allowEnforce: true\n' },
    });
  });
  for (const what of lacks) holdsFault(checks, what, 'rbac.verbs', 'fail', new RegExp(`may not ${what}$`));
});

test('the verbs that are asked for are those of the roles of the chart', () => {
  const chart = readFileSync(
    join(import.meta.dirname, '../../charts/image-policy-operator/templates/rbac.yaml'),
    'utf8',
  );
  const rules = chart
    .replaceAll(
      /\{\{-? if (?:\$v\.scanner|\$v\.registries|eq \$v\.reports|\$v\.ledger)[^]*?\{\{-? end \}\}/g,
      '',
    )
    .matchAll(/- apiGroups: \[(.*?)\]\s+resources: \[(.*?)\]\s+(resourceNames: .*\s+)?verbs: \[(.*?)\]/g);
  const list = (text: string): string[] => text.split(',').map((one) => one.trim().replaceAll('"', ''));
  const wanted = [...rules].flatMap(([, groups = '', resources = '', named, verbs = '']) =>
    list(resources).flatMap((resource) =>
      list(verbs).map(
        (verb) => `${list(groups)[0]} ${resource} ${verb} ${named === undefined ? '' : 'named'}`,
      ),
    ),
  );
  const asked = REQUIRED_VERBS.flatMap(({ group, resource, verbs, named }) =>
    verbs.map((verb) => `${group} ${resource} ${verb} ${named === undefined ? '' : 'named'}`),
  );
  assert.deepEqual(asked.toSorted(), wanted.toSorted());
});

test('an empty namespace and an API server that does not answer are each one fault', async (t) => {
  const empty = await examined(t, () => undefined, 'elsewhere');
  assert.deepEqual(
    wrong(empty).map(({ id }) => id),
    ['cluster.installed'],
  );
  const gone = new KubernetesApi(plainConnection('http://127.0.0.1:1'), 'test');
  t.after(() => gone.close());
  const checks = examine(CLUSTER_CHECKS, 'cluster', await clusterFacts(gone, NAMESPACE, '1.3.7'), NOW);
  assert.deepEqual(
    checks.map(({ id, state }) => `${id} ${state}`),
    ['cluster.api-server fail'],
  );
});

test('ipo doctor examines a cluster by its kubeconfig, and exits by what it found', async (t) => {
  const kubeconfig = join(scratchDirectory(t), 'kubeconfig');
  const connect = async (seed: Seed) => {
    const server = await start(t, seed);
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a', users: [{ name: 'a', user: {} }] },
        clusters: [{ name: 'a', cluster: { server, 'insecure-skip-tls-verify': true } }],
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a', namespace: NAMESPACE } }],
      }),
    );
  };
  const doctor = (...more: readonly string[]) => ipo(['doctor', '--kubeconfig', kubeconfig, ...more]);
  await connect(() => undefined);
  const sound = await doctor('--strict');
  assert.deepEqual([sound.code, sound.err], [0, ''], sound.out);
  assert.match(sound.out, /^0 checks fail, 0 warn, \d+ ok\.\n$/);
  await connect(webhook({ timeoutSeconds: 30 }));
  assert.equal((await doctor()).code, 0, 'a warning');
  const strict = await doctor('--strict');
  assert.equal(strict.code, 1);
  assert.match(strict.out, /^! webhook\.timeout: .*30 s.*\n {4}Set webhook\.timeoutSeconds/);
  await connect(without('Service/ipo-webhook'));
  const failed = await doctor('-o', 'json');
  assert.equal(failed.code, 1);
  const body = JSON.parse(failed.out);
  assert.deepEqual([body.state, body.counts.fail, body.total === body.checks.length], ['fail', 1, true]);
});
