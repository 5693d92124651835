import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KubernetesApi, openKubeconfig } from '../src/adapters/kubernetes/index.ts';
import { makeCertificate, withoutOpenssl } from '../test/app/certificate.ts';
import { startRealApiServer } from '../test/kubernetes/real-api-server.ts';
import { spread } from './spread.ts';
import { reviewBody } from './webhook-review.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

const ROUNDS = 5;
/** Pods that are asked for at a time. */
const AT_ONCE = 20;
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
/** Servers of `webhook-server.ts`: our webhook, and a bare one, which only makes a row of each review durable. */
const WEBHOOKS = ['ours', 'row'] as const;
/** By whose webhook pods are made. */
type Maker = (typeof WEBHOOKS)[number] | 'none';

/**
 * benchApiServer prints how many pods a second a real API server makes whose webhook we are, beside the same without a webhook, in
 * rotated rounds; the worst round counts. What a bare webhook leaves of them is the most that one can reach on this machine. The API server is
 * that of `IPO_TEST_KUBECONFIG`, which can reach loopback, or is started from the `etcd` and `kube-apiserver` of `KUBEBUILDER_ASSETS`.
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
  const servers = WEBHOOKS.map((what) =>
    fork(join(import.meta.dirname, 'webhook-server.ts'), [what, folder], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
  try {
    const spaces = new Map<Maker, string>([['none', await namespace(api, 'none')]]);
    for (const [i, what] of WEBHOOKS.entries()) {
      const [{ port }] = (await once(servers[i] as ChildProcess, 'message')) as [{ port: number }];
      const space = await namespace(api, what);
      spaces.set(what, space);
      await configure(api, what, port, readFileSync(cert), space);
    }
    const makers = [...spaces];
    const count = quick ? 300 : 1500;
    for (const [, space] of makers) await make(api, space, 200, 'warm'); // warms up
    const shares = new Map<Maker, number[]>(WEBHOOKS.map((what) => [what, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      const rate = new Map<Maker, number>();
      for (let i = 0; i < makers.length; i += 1) {
        const [what, space] = makers[(i + round) % makers.length] as (typeof makers)[number];
        rate.set(what, await make(api, space, count, `r${round}`));
      }
      for (const [what, of] of shares) of.push((rate.get(what) ?? NaN) / (rate.get('none') ?? NaN));
    }
    line(name, spread(shares.get('ours') ?? [], Math.min), 'at least 0.75, aim 0.85');
    line(
      '  the same of a bare webhook that makes one row durable',
      spread(shares.get('row') ?? [], Math.min),
      '',
    );
  } finally {
    for (const what of WEBHOOKS)
      await api
        .find({ method: 'DELETE', path: configurationOf(what), what: 'the webhook' })
        .catch(() => null);
    for (const server of servers) await end(server);
    await api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const configurationOf = (what: Maker): string => `${CONFIGURATIONS}/ipo-bench-${what}`;

async function namespace(api: KubernetesApi, base: string): Promise<string> {
  const name = `ipo-bench-${base}-${process.pid}`;
  const labels = { 'kubernetes.io/metadata.name': name };
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  await api.call({ method: 'POST', path: '/api/v1/namespaces', body, what: 'a namespace' });
  return name;
}

/** A webhook that must answer: one that the API server cannot call would look fast. */
async function configure(
  api: KubernetesApi,
  what: Maker,
  port: number,
  authority: Buffer,
  of: string,
): Promise<void> {
  await api.find({ method: 'DELETE', path: configurationOf(what), what: 'the webhook' });
  await api.call({
    method: 'POST',
    path: CONFIGURATIONS,
    what: 'the webhook',
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: `ipo-bench-${what}` },
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
