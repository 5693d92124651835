import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KubernetesApi, openKubeconfig } from '../src/adapters/kubernetes/index.ts';
import { makeCertificate, withoutOpenssl } from '../test/app/certificate.ts';
import { startRealApiServer } from '../test/kubernetes/real-api-server.ts';
import { reviewBody } from './webhook-review.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

const ROUNDS = 5;
/** Pods that are asked for at a time. */
const AT_ONCE = 20;
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/ipo-bench';

/**
 * benchApiServer prints how many pods a second a real API server makes whose webhook we are, beside the same without a webhook, in
 * rotated rounds; the worst round counts. The API server is that of `IPO_TEST_KUBECONFIG`, which can reach loopback, or is started
 * from the `etcd` and `kube-apiserver` of `KUBEBUILDER_ASSETS`.
 */
export async function benchApiServer(line: Line, quick: boolean): Promise<void> {
  const name = 'pods a second through an API server, of those without';
  const { IPO_TEST_KUBECONFIG: kubeconfig, KUBEBUILDER_ASSETS: assets } = process.env;
  if (kubeconfig === undefined && assets === undefined) {
    line(name, 'not measured', 'neither IPO_TEST_KUBECONFIG nor KUBEBUILDER_ASSETS is set');
    return;
  }
  if (withoutOpenssl !== false) {
    line(name, 'not measured', withoutOpenssl);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'ipo-bench-api-server-'));
  const { cert } = makeCertificate(folder, 'bench');
  const connection = await openKubeconfig(kubeconfig ?? (await startRealApiServer(assets ?? '')));
  const api = new KubernetesApi(connection, 'bench');
  const webhook = fork(join(import.meta.dirname, 'webhook-server.ts'), ['ours', folder], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const [{ port }] = (await once(webhook, 'message')) as [{ port: number }];
    const [reviewed, unreviewed] = [await namespace(api, 'reviewed'), await namespace(api, 'unreviewed')];
    await configure(api, port, readFileSync(cert), reviewed);
    const count = quick ? 300 : 1500;
    for (const one of [reviewed, unreviewed]) await make(api, one, 200, 'warm'); // warms up
    const shares: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const rate = new Map<string, number>();
      for (const one of round % 2 === 0 ? [unreviewed, reviewed] : [reviewed, unreviewed])
        rate.set(one, await make(api, one, count, `r${round}`));
      shares.push((rate.get(reviewed) ?? NaN) / (rate.get(unreviewed) ?? NaN));
    }
    const sorted = shares.toSorted((a, b) => a - b);
    const figure = `${sorted[0]?.toFixed(2)} (median ${sorted[sorted.length >> 1]?.toFixed(2)})`;
    line(name, figure, 'at least 0.65, aim 0.85');
  } finally {
    await api.find({ method: 'DELETE', path: CONFIGURATION, what: 'the webhook' }).catch(() => null);
    await end(webhook);
    await api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function namespace(api: KubernetesApi, base: string): Promise<string> {
  const name = `ipo-bench-${base}-${process.pid}`;
  const labels = { 'kubernetes.io/metadata.name': name };
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  await api.call({ method: 'POST', path: '/api/v1/namespaces', body, what: 'a namespace' });
  return name;
}

/** A webhook that must answer: one that the API server cannot call would look fast. */
async function configure(api: KubernetesApi, port: number, authority: Buffer, of: string): Promise<void> {
  await api.find({ method: 'DELETE', path: CONFIGURATION, what: 'the webhook' });
  await api.call({
    method: 'POST',
    path: CONFIGURATION.slice(0, CONFIGURATION.lastIndexOf('/')),
    what: 'the webhook',
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'ipo-bench' },
      webhooks: [
        {
          name: 'pods.ipo.dev',
          admissionReviewVersions: ['v1'],
          clientConfig: {
            url: `https://127.0.0.1:${port}/admission/pods`,
            caBundle: authority.toString('base64'),
          },
          failurePolicy: 'Fail',
          sideEffects: 'NoneOnDryRun',
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [of] }],
          },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
          ],
        },
      ],
    },
  });
}

/** Makes pods, several at a time; gives how many a second. */
async function make(api: KubernetesApi, of: string, count: number, prefix: string): Promise<number> {
  const path = `/api/v1/namespaces/${of}/pods`;
  const began = performance.now();
  let next = 0;
  const one = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      const { request } = JSON.parse(reviewBody(at)) as { request: { object: { spec: object } } };
      const metadata = { name: `${prefix}-${at}`, labels: { app: 'bench' } };
      const { serviceAccount: _, ...rest } = request.object.spec as Record<string, unknown>;
      const spec = { ...rest, serviceAccountName: 'default' };
      const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
      await api.call({ method: 'POST', path, body, what: 'a pod' });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const rate = count / ((performance.now() - began) / 1000);
  await api.call({ method: 'DELETE', path, query: { gracePeriodSeconds: 0 }, what: 'the pods' });
  return rate;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchApiServer(
    (name, figure, must) => process.stdout.write(`${name.padEnd(58)} ${figure.padStart(22)}   ${must}\n`),
    process.argv.includes('--quick'),
  );
}
