import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { KubeObject } from '../../src/adapters/kubernetes/index.ts';
import type { RowBody } from '../../src/api/contract/ledger.ts';
import type { Bench } from '../kubernetes/servers.ts';
import { scratchDirectory, startRunning, type Running } from './running.ts';

/** Stage is a whole operator in a cluster, which calls its webhook. */
export interface Stage extends Bench {
  readonly running: Running;
  /** The namespace of the story; the operator has one of its own. */
  readonly shop: string;
  /** Path of the webhook's configuration. */
  readonly configurations: string;
  create(pod: object, query?: Readonly<Record<string, string>>): Promise<KubeObject>;
  /** Every row of the ledger, by its API. */
  rows(): Promise<readonly RowBody[]>;
  /** What `/metrics` says of one series. */
  measured(series: string): Promise<number>;
}

/** staged starts a service as the operator of a cluster; `env` are further settings of it. */
export async function staged(
  t: TestContext,
  bench: Bench,
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const { api, put, name } = bench;
  const [own, shop, webhook, configuration] = ['ipo', 'shop', 'webhook', 'ipo'].map((base) => name(base));
  for (const one of [own, shop]) {
    const labels = { 'kubernetes.io/metadata.name': one };
    await put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: one, labels } });
  }
  const path = join(scratchDirectory(t), 'kubeconfig');
  await writeFile(path, text, { mode: 0o600 });
  const running = await startRunning(t, {
    env: {
      IPO_CLUSTER_KUBECONFIG: path,
      IPO_CLUSTER_NAMESPACE: own ?? '',
      IPO_CLUSTER_NAME: 'story',
      IPO_RECONCILE_ALLOW_ENFORCE: 'true',
      IPO_WEBHOOK_LISTEN: '127.0.0.1:0',
      IPO_WEBHOOK_CERTIFICATES_SECRET: 'webhook-tls',
      IPO_WEBHOOK_CERTIFICATES_SERVICE: webhook ?? '',
      IPO_WEBHOOK_CERTIFICATES_CONFIGURATION: configuration ?? '',
      ...env,
    },
  });
  // A name outside of the cluster is the one kind of Service that leads to this machine.
  await put({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: webhook, namespace: own },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const service = { name: webhook, namespace: own, path: '/admission/pods', port: running.service.webhook };
  await put({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: configuration },
    webhooks: [
      {
        name: 'pods.ipo.dev',
        admissionReviewVersions: ['v1'],
        clientConfig: { service },
        failurePolicy: 'Ignore',
        sideEffects: 'NoneOnDryRun',
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [shop] }],
        },
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['UPDATE'],
            resources: ['pods/ephemeralcontainers'],
          },
        ],
      },
    ],
  });
  const administrator = running.as('administrator');
  return {
    ...bench,
    running,
    shop: shop ?? '',
    configurations: `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${configuration}`,
    create: (pod, query = {}) =>
      api.call<KubeObject>({
        ...{ method: 'POST', path: `/api/v1/namespaces/${shop}/pods`, query, body: pod, what: 'the pod' },
      }),
    rows: async () =>
      (await administrator.json<{ items: RowBody[] }>('GET /ledger/rows', { query: { limit: '10000' } })).body
        .items,
    measured: async (series) => {
      const text = await (await fetch(`${running.url}/metrics`)).text();
      const line = text.split('\n').find((one) => one.startsWith(`${series} `));
      return Number(line?.slice(series.length + 1) ?? Number.NaN);
    },
  };
}

/** podOf makes a pod of one container. */
export const podOf = (name: string, image: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'app', image }], ...more },
});
