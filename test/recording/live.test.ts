import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openKubeconfig } from '../../src/adapters/kubernetes/index.ts';
import { AUDIT_POLICY } from '../../src/recording/index.ts';
import { podOf, staged } from '../app/stage.ts';
import { scratchDirectory } from '../app/running.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { startRealApiServer } from '../kubernetes/real-api-server.ts';
import { benchOf, defineAll, eventually } from '../kubernetes/servers.ts';

const { KUBEBUILDER_ASSETS: assets } = process.env;
const skip =
  assets === undefined ? 'KUBEBUILDER_ASSETS names no kube-apiserver that could write an audit log' : false;

interface Row {
  readonly pod: string;
  readonly container: string;
}

test(
  'rows of the audit log of an API server are those that the webhook has of the same pods',
  { skip },
  async (t) => {
    const path = await startRealApiServer(assets ?? '', AUDIT_POLICY);
    const connection = await openKubeconfig(path);
    const bench = benchOf(t, () => connection, null);
    await defineAll(bench.api);
    const { api, put, shop, create, rows } = await staged(t, bench, await readFile(path, 'utf8'));
    await put({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'front', namespace: shop } },
      spec: { type: 'LoadBalancer', selector: { app: 'front' }, ports: [{ port: 80 }] },
    });
    await put({
      ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: bench.name('registries') } },
      spec: {
        ...{ targetNamespaces: [shop], enforcement: 'Enforce', denyLatestTag: true },
        allowedRegistries: ['ghcr.io/acme'],
      },
    });
    await eventually(
      () =>
        create(podOf('probe', 'docker.io/library/nginx:1.29'), { dryRun: 'All' }).then(
          () => false,
          (error: unknown) => /registry not allowed/.test(String(error)),
        ),
      30_000,
    );

    const attempt = (pod: object): Promise<unknown> => create(pod).catch(() => null);
    const image = (name: string, more: object = {}) => ({ name, image: `ghcr.io/acme/${name}:1`, ...more });
    await attempt(podOf('plain', 'ghcr.io/acme/web:1'));
    await attempt(podOf('foreign', 'docker.io/library/nginx:1.29'));
    await attempt(podOf('latest', 'ghcr.io/acme/web'));
    await attempt(podOf('host', 'ghcr.io/acme/web:1', { hostNetwork: true, hostPID: true }));
    await attempt({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'front', labels: { app: 'front' } } },
      spec: {
        initContainers: [image('prepare', { securityContext: { privileged: true } })],
        containers: [image('a'), image('b', { securityContext: { runAsUser: 1000 } })],
      },
    });
    await attempt({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'made-' } },
      spec: { containers: [image('a'), { name: 'bad', image: 'quay.io/x/y:1' }] },
    });
    const one = `/api/v1/namespaces/${shop}/pods/front`;
    const patch = (path: string, value: unknown, to = one): Promise<unknown> =>
      api
        .call({
          method: 'PATCH',
          patch: 'json',
          path: to,
          body: [{ op: 'add', path, value }],
          what: 'the pod',
        })
        .catch(() => null);
    await patch('/spec/containers/0/image', 'ghcr.io/acme/a:2');
    const standing = await api.call<{ spec: { containers: object[] } }>({
      method: 'GET',
      path: one,
      what: 'the pod',
    });
    const [a, b] = standing.spec.containers;
    const changed = {
      ...standing,
      spec: { ...standing.spec, containers: [a, { ...b, image: 'docker.io/library/b:2' }] },
    };
    await api.call({ method: 'PUT', path: one, body: changed, what: 'the pod' }).catch(() => null);
    await patch('/metadata/labels/other', 'x');
    await patch(
      '/spec/ephemeralContainers',
      [{ name: 'look', image: 'ghcr.io/acme/debug:1' }],
      `${one}/ephemeralcontainers`,
    );

    const own = await rows();
    const folder = scratchDirectory(t);
    const services = await api.call({ method: 'GET', path: '/api/v1/services', what: 'the services' });
    const log = join(dirname(path), 'audit.log');
    const ran = await ipo(
      [
        'ledger',
        'record',
        '--audit',
        log,
        '--services',
        '-',
        '--cluster',
        'story',
        '-o',
        join(folder, 'a.ndjson'),
      ],
      { stdin: JSON.stringify(services) },
    );
    assert.equal(ran.code, 0, ran.err);
    const recorded = (await readFile(join(folder, 'a.ndjson'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row)
      .filter((line) => 'pod' in line);
    const fields = [
      'cluster',
      'namespace',
      'container',
      'image',
      'allowed',
      'review_allowed',
      'label',
    ] as const;
    const more = ['signals', 'exposed_by', 'subresource', 'requester'] as const;
    // By which policy an image was allowed stands nowhere in an audit log, and is not guessed.
    const ofDenied = ['reason', 'policy'] as const;
    const told = (row: object): string => {
      const values = row as Record<string, unknown>;
      const named = [...fields, ...more, ...(values['allowed'] === false ? ofDenied : [])];
      return JSON.stringify(named.map((field) => values[field] ?? null));
    };
    assert.ok(own.length >= 12, `${own.length} rows`);
    assert.deepEqual(recorded.map(told).toSorted(), own.map(told).toSorted());
  },
);
