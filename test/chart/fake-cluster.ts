import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from './helm.ts';
import { isProtobuf, readSecret } from './protobuf-secret.ts';

type Json = Record<string, unknown>;

/** What Helm asks an API server of: kinds by group, those of the whole cluster with a star. */
const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v1: {
    configmaps: 'ConfigMap',
    pods: 'Pod',
    secrets: 'Secret',
    serviceaccounts: 'ServiceAccount',
    services: 'Service',
    'namespaces*': 'Namespace',
  },
  'apps/v1': { statefulsets: 'StatefulSet' },
  'policy/v1': { poddisruptionbudgets: 'PodDisruptionBudget' },
  'networking.k8s.io/v1': { networkpolicies: 'NetworkPolicy', ingresses: 'Ingress' },
  'rbac.authorization.k8s.io/v1': {
    roles: 'Role',
    rolebindings: 'RoleBinding',
    'clusterroles*': 'ClusterRole',
    'clusterrolebindings*': 'ClusterRoleBinding',
  },
  'admissionregistration.k8s.io/v1': {
    'validatingwebhookconfigurations*': 'ValidatingWebhookConfiguration',
  },
  'apiextensions.k8s.io/v1': { 'customresourcedefinitions*': 'CustomResourceDefinition' },
  'flowcontrol.apiserver.k8s.io/v1': { 'flowschemas*': 'FlowSchema' },
};

/** FakeCluster is an API server on loopback that keeps what Helm writes: enough for install, upgrade and uninstall. */
export interface FakeCluster {
  readonly kubeconfig: string;
  /** What is kept, by kind and name. */
  object(kind: string, name: string): Manifest | undefined;
  kinds(): readonly string[];
  close(): Promise<void>;
}

/** openFakeCluster starts it. It knows no merge keys: a list that is patched is replaced. */
export async function openFakeCluster(): Promise<FakeCluster> {
  const objects = new Map<string, Manifest>();
  let version = 1;
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => send(response, 500, status(500, String(error))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'ipo-helm-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, configOf((server.address() as AddressInfo).port));
  return {
    kubeconfig,
    object: (kind, name) =>
      [...objects.values()].find((object) => object.kind === kind && object.metadata.name === name),
    kinds: () => [...objects.values()].map(({ kind }) => kind),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    const known = discovery(pathname);
    if (known !== null) return send(response, 200, known);
    const place =
      /^\/(?:api|apis)\/((?:[a-z0-9.]+\/)?v1)\/(?:namespaces\/([^/]+)\/)?([a-z]+)(?:\/([^/]+))?$/.exec(
        pathname,
      );
    if (place === null) return send(response, 404, status(404, pathname));
    const [, group = '', namespace = '', plural = '', name] = place;
    const kind = KINDS[group]?.[plural] ?? KINDS[group]?.[`${plural}*`] ?? '';
    const key = `${group}/${namespace}/${plural}/${name ?? ''}`;
    const body = parse(await read(request));
    switch (request.method) {
      case 'GET': {
        if (name !== undefined) return found(response, objects.get(key), key);
        const wanted = selector(searchParams.get('labelSelector'));
        const items = [...objects]
          .filter(([at, object]) => at.startsWith(key) && wanted(object))
          .map(([, one]) => one);
        return send(response, 200, { apiVersion: group, kind: `${kind}List`, metadata: {}, items });
      }
      case 'POST': {
        const made = stored(body, namespace);
        const at = `${key}${made.metadata.name}`;
        if (objects.has(at)) return send(response, 409, status(409, `${at} already exists`, 'AlreadyExists'));
        objects.set(at, made);
        return send(response, 201, made);
      }
      case 'PUT':
      case 'PATCH': {
        const before = objects.get(key);
        const isApply = request.headers['content-type']?.startsWith('application/apply-patch') === true;
        if (before === undefined && !isApply) return found(response, before, key);
        const after = request.method === 'PUT' ? body : merge((before ?? {}) as Json, body);
        objects.set(key, stored(after, namespace));
        return send(response, before === undefined ? 201 : 200, objects.get(key) as Manifest);
      }
      default: {
        const before = objects.get(key);
        objects.delete(key);
        return before === undefined
          ? found(response, before, key)
          : send(response, 200, { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success' });
      }
    }
  }

  function stored(body: Json, namespace: string): Manifest {
    const metadata = body['metadata'] as Json;
    return {
      ...body,
      metadata: {
        uid: crypto.randomUUID(),
        ...metadata,
        ...(namespace !== '' && { namespace }),
        resourceVersion: String(++version),
      },
    } as unknown as Manifest;
  }
}

/** What an API server says of itself; null for a path that is an object's. */
function discovery(path: string): unknown {
  if (path === '/version') return { major: '1', minor: '35', gitVersion: 'v1.35.0' };
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis') {
    const groups = Object.keys(KINDS)
      .filter((group) => group.includes('/'))
      .map((group) => {
        const one = { groupVersion: group, version: 'v1' };
        return { name: group.split('/')[0], versions: [one], preferredVersion: one };
      });
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }
  const group = path.replace(/^\/apis?\//, '');
  const kinds = KINDS[group];
  if (kinds === undefined) return null;
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
  const resources = Object.entries(kinds).map(([plural, kind]) => ({
    name: plural.replace('*', ''),
    singularName: kind.toLowerCase(),
    namespaced: !plural.endsWith('*'),
    kind,
    verbs,
  }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: group, resources };
}

/** Every part must be there and equal; `in (a,b)` is all of the rest that Helm writes. */
function selector(text: string | null): (object: Manifest) => boolean {
  const parts = [...(text ?? '').matchAll(/([^,=\s]+)(?:=|\s+in\s+\()([^,()]+)/g)];
  return ({ metadata }) => parts.every(([, key = '', value]) => metadata.labels?.[key] === value);
}

/** The merge patch of RFC 7386. */
function merge(before: Json, patch: Json): Json {
  const after: Json = { ...before };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete after[key];
    else after[key] = isObject(value) && isObject(after[key]) ? merge(after[key], value) : value;
  }
  return after;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function found(response: ServerResponse, object: Manifest | undefined, key: string): void {
  if (object === undefined) send(response, 404, status(404, `${key} not found`, 'NotFound'));
  else send(response, 200, object);
}

function status(code: number, message: string, reason = ''): Json {
  return { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', code, message, reason };
}

function send(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function parse(body: Buffer): Json {
  if (isProtobuf(body)) return readSecret(body);
  return body.length === 0 ? {} : (JSON.parse(body.toString()) as Json);
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function configOf(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fake', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'fake', user: { token: 'none' } }],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }],
    'current-context': 'fake',
  });
}
