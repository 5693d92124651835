import { readFile } from 'node:fs/promises';
import { test, type TestContext } from 'node:test';
import {
  KubernetesApi,
  openKubeconfig,
  type Connection,
  type KubeObject,
} from '../../src/adapters/kubernetes/index.ts';
import { openAgent } from '../../src/adapters/kubernetes/in-cluster.ts';
import { customResourceDefinitions } from '../../src/cluster/index.ts';
import { type ElectionClock } from '../../src/leadership/index.ts';
import { FakeApiServer, type FakeOptions } from './fake/api-server.ts';
import type { Json } from './fake/objects.ts';
import { startRealApiServer } from './real-api-server.ts';

/** silent is a log that nobody reads. */
export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** realTime is the time of this process. */
export const realTime: ElectionClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, signal.aborted ? 0 : ms);
      signal.addEventListener('abort', done, { once: true });
    }),
};

/** Bench is one API server as a test uses it: the fake, or a real one. */
export interface Bench {
  readonly api: KubernetesApi;
  /** Another client, under another name. */
  client(name: string): KubernetesApi;
  /** Makes an object that ends with the test; one with a status gets it through its subresource. */
  put(object: Json): Promise<KubeObject>;
  /** A name that no other test uses. */
  name(base: string): string;
  /** What is done at the end of the test, the last first, before the clients are closed. */
  atEnd(act: () => unknown): void;
  /** Null for a real one. */
  readonly fake: FakeApiServer | null;
}

/** plainConnection reaches a server without credentials, as the fake allows. */
export function plainConnection(server: string, namespace = 'ipo-system'): Connection {
  const agent = openAgent({});
  return {
    server,
    namespace,
    dispatcher: async () => agent,
    headers: async () => ({}),
    refused: () => {},
    close: () => agent.destroy(),
  };
}

let names = 0;
const run = Math.random().toString(36).slice(2, 7);

/** openFake opens a fake API server with the operator's kinds; `benchOf` closes it at the end of the test. */
export async function openFake(options: FakeOptions = {}): Promise<{ fake: FakeApiServer; url: string }> {
  const fake = new FakeApiServer(options);
  for (const definition of customResourceDefinitions()) fake.define(structuredClone(definition) as Json);
  const url = await fake.listen();
  return { fake, url };
}

/** benchOf wraps a connection. */
export function benchOf(t: TestContext, connect: () => Connection, fake: FakeApiServer | null): Bench {
  const ends: (() => unknown)[] = fake === null ? [] : [() => fake.close()];
  t.after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  const client = (name: string): KubernetesApi => {
    const api = new KubernetesApi(connect(), name);
    // A real one's connection is that of all tests.
    if (fake !== null) ends.push(() => api.close());
    return api;
  };
  const api = client('test');
  return {
    api,
    client,
    atEnd: (act) => void ends.push(act),
    fake,
    name: (base) => `${base}-${run}-${(names += 1)}`,
    async put(object) {
      const { path, body } = placeOf(object);
      const made = await api.call<KubeObject>({ method: 'POST', path, body, what: 'a test object' });
      const one = `${path}/${made.metadata?.name ?? ''}`;
      ends.push(() => api.find({ method: 'DELETE', path: one, what: 'a test object' }));
      if (object['status'] === undefined) return made;
      return api.call<KubeObject>({
        method: 'PATCH',
        patch: 'merge',
        path: `${one}/status`,
        body: { status: object['status'] },
        what: 'a test status',
      });
    },
  };
}

const PLURALS: Readonly<Record<string, string>> = {
  Ingress: 'ingresses',
  ImagePolicy: 'imagepolicies',
};

function placeOf(object: Json): { path: string; body: Json } {
  const { apiVersion, kind, metadata } = object as {
    apiVersion: string;
    kind: string;
    metadata: { namespace?: string };
  };
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const inside = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return { path: `${root}${inside}/${PLURALS[kind] ?? `${kind.toLowerCase()}s`}`, body: object };
}

/**
 * onEveryServer runs a test against the fake, and against a real API server where one is at hand: `IPO_TEST_KUBECONFIG` names an
 * administrator's kubeconfig, `KUBEBUILDER_ASSETS` the directory of `kube-apiserver` and `etcd`. The text of a kubeconfig is given for what
 * opens connections of its own.
 */
export function onEveryServer(
  name: string,
  act: (t: TestContext, bench: Bench, kubeconfig: string) => Promise<void>,
): void {
  test(`fake: ${name}`, async (t) => {
    const { fake, url } = await openFake();
    fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
    await act(
      t,
      benchOf(t, () => plainConnection(url), fake),
      kubeconfigOf(url),
    );
  });
  const { IPO_TEST_KUBECONFIG: kubeconfig, KUBEBUILDER_ASSETS: assets } = process.env;
  const skip =
    kubeconfig === undefined && assets === undefined
      ? 'no real API server: neither IPO_TEST_KUBECONFIG nor KUBEBUILDER_ASSETS is set'
      : false;
  test(`real: ${name}`, { skip }, async (t) => {
    const path = kubeconfig ?? (await startRealApiServer(assets ?? ''));
    const connection = await openKubeconfig(path);
    const bench = benchOf(t, () => connection, null);
    await defineAll(bench.api);
    await act(t, bench, await readFile(path, 'utf8'));
  });
}

/** kubeconfigOf gives the kubeconfig of a server without credentials. */
export function kubeconfigOf(server: string): string {
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'default' } }],
  });
}

let defined: Promise<void> | null = null;

/** defineAll installs the operator's kinds, and waits until they are served. */
export function defineAll(api: KubernetesApi): Promise<void> {
  return (defined ??= (async () => {
    for (const definition of customResourceDefinitions() as Json[]) {
      const { name } = definition['metadata'] as { name: string };
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
      await api.call({
        method: 'PATCH',
        patch: 'apply',
        path,
        query: { fieldManager: 'test', force: true },
        body: definition,
        what: name,
      });
      await eventually(async () => {
        const found = await api.call<{ status?: { conditions?: { type: string; status: string }[] } }>({
          method: 'GET',
          path,
          what: name,
        });
        return (
          found.status?.conditions?.some(
            ({ type, status }) => type === 'Established' && status === 'True',
          ) === true
        );
      });
    }
  })());
}

/** eventually waits until something holds that another process brings about. */
export async function eventually(holds: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('it did not come to pass in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
