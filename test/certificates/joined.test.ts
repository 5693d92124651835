import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clusterSecrets,
  readWebhookPaths,
  writeCaBundle,
  writeWebhookPath,
} from '../../src/adapters/kubernetes/index.ts';
import { readCaBundles } from '../../src/adapters/kubernetes/live-bundles.ts';
import { Callers } from '../../src/api/index.ts';
import { callerSettings, certificateSettings } from '../../src/app/config/operator.ts';
import { webhookCertificates, type CertificateCluster } from '../../src/app/cluster/webhook-certificates.ts';
import type { ServingPair } from '../../src/certificates/index.ts';
import { onEveryServer } from '../kubernetes/servers.ts';
import { CALLED, shakeOnce, SILENT } from './cluster.ts';

onEveryServer(
  'the leader makes certificates, and another replica shows them',
  async (_, { api, put, name, atEnd }) => {
    const [secret, configuration] = [name('webhook-tls'), name('ipo')];
    atEnd(() =>
      api.find({ method: 'DELETE', path: `/api/v1/namespaces/default/secrets/${secret}`, what: 'it' }),
    );
    await put({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: configuration },
      webhooks: [
        {
          name: 'pods.ipo.dev',
          clientConfig: { service: { name: 'ipo-webhook', namespace: 'default', path: '/admission/pods' } },
          namespaceSelector: { matchLabels: { none: 'of-these' } },
          failurePolicy: 'Ignore',
          admissionReviewVersions: ['v1'],
          sideEffects: 'NoneOnDryRun',
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
      ],
    });
    const replica = (leads: boolean) => {
      const shown: ServingPair[] = [];
      const measured: number[] = [];
      const cluster: CertificateCluster = {
        namespace: 'default',
        secrets: clusterSecrets(api, 'default'),
        leadsCluster: () => leads,
        readCaBundles: (of) => readCaBundles(api, of),
        writeCaBundle: (of, pem) => writeCaBundle(api, of, pem),
        readWebhookPaths: (of) => readWebhookPaths(api, of),
        writeWebhookPath: (of, path) => writeWebhookPath(api, of, path),
      };
      const jobs = webhookCertificates({
        settings: certificateSettings.parse({ secret, service: 'ipo-webhook', configuration }),
        cluster,
        ...calledBy(),
        replace: (pair) => void shown.push(pair),
        clock: { now: () => Date.now() },
        log: SILENT,
        measure: (notAfter) => void measured.push(notAfter),
      });
      const run = async (): Promise<void> => {
        for (const job of jobs) await job.run(new AbortController().signal);
      };
      return { jobs, run, shown, measured };
    };
    const [follower, leader] = [replica(false), replica(true)];
    assert.deepEqual(
      leader.jobs.map((job) => [job.name, job.atStart]),
      [
        ['webhook-authority', true],
        ['webhook-path', true],
        ['webhook-certificate', true],
      ],
    );
    await follower.run();
    assert.deepEqual(follower.shown, []);
    // What it made, the leader shows at once: no tick of another job is waited for.
    await leader.jobs[0]?.run(new AbortController().signal);
    assert.equal(leader.shown.length, 1);
    assert.ok(
      leader.jobs.slice(0, 2).every(({ again = 2_000 }) => again <= 250),
      'a new leader begins at once',
    );
    await leader.run();
    await follower.run();
    assert.equal(leader.shown.length, 1);
    assert.deepEqual(follower.shown, leader.shown);
    const [trusted = ''] = (await readCaBundles(api, configuration)) ?? [];
    // The name is of another namespace than the other tests'.
    assert.match((await shakeOnce(leader.shown[0] ?? assert.fail(), trusted)) ?? '', new RegExp(CALLED));
    assert.ok((measured(leader) - Date.now() / 1000) / 86_400 > 89);
    await leader.run();
    assert.equal(leader.shown.length, 1);
  },
);

onEveryServer(
  'a Secret of another type, which a person left there, is taken over as it is',
  async (_, { api, put, name }) => {
    const secret = name('webhook-tls');
    const foreign = { 'tls.crt': Buffer.from('garbage').toString('base64'), 'tls.key': '' };
    await put({
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', data: foreign },
      metadata: { name: secret, namespace: 'default' },
    });
    const published: string[] = [];
    const jobs = webhookCertificates({
      settings: certificateSettings.parse({ secret, service: 'ipo-webhook', configuration: 'none' }),
      cluster: {
        namespace: 'default',
        secrets: clusterSecrets(api, 'default'),
        leadsCluster: () => true,
        readCaBundles: async () => [published.at(-1) ?? ''],
        writeCaBundle: async (_of, pem) => published.push(pem) > 0,
        readWebhookPaths: async () => null,
        writeWebhookPath: async () => false,
      },
      ...calledBy(),
      replace: () => {},
      clock: { now: () => Date.now() },
      log: SILENT,
      measure: () => {},
    });
    await jobs[0]?.run(new AbortController().signal);
    const held = await clusterSecrets(api, 'default').read(secret);
    assert.equal(held?.type, 'kubernetes.io/tls');
    assert.match(held?.data.get('tls.crt')?.toString() ?? '', /BEGIN CERTIFICATE/);
  },
);

test('settings that name nothing to take a certificate from are refused', () => {
  const deps = {
    cluster: null,
    ...calledBy(),
    replace: () => assert.fail(),
    clock: { now: () => 0 },
    log: SILENT,
    measure: () => assert.fail(),
  };
  const of = (settings: object) =>
    webhookCertificates({ settings: certificateSettings.parse(settings), ...deps });
  assert.throws(() => of({}), /outside a cluster there is no Secret to keep them in/);
  assert.throws(() => of({ source: 'files' }), /webhook\.certificates needs certFile and keyFile/);
  assert.equal(certificateSettings.safeParse({ source: 'files', certFile: 'a' }).success, false);
  assert.equal(of({ source: 'files', certFile: '/a', keyFile: '/b' }).length, 1);
});

function calledBy() {
  const known = { path: true, certificate: false, names: [] };
  const callers = new Callers({ ...known, now: () => 0, log: SILENT, refused: () => {} });
  return {
    callerSettings: callerSettings.parse({}),
    callers,
    callersChanged: () => {},
    guard: () => {},
  };
}

function measured({ measured: [first = 0] }: { readonly measured: readonly number[] }): number {
  return first;
}
