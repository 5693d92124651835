import { REVIEW_PATH } from '../../admission/index.ts';
import { KubernetesApi, openKubeconfig, pathOf, RESOURCES } from '../../adapters/kubernetes/index.ts';
import { isIpoError } from '../../base/index.ts';
import { customResourceDefinitions, isFault } from '../../cluster/index.ts';
import type { ClusterFacts, SeenPod } from '../../doctor/index.ts';
import { lackingVerbs } from './lacking-verbs.ts';
import {
  CHART,
  type Claim,
  type ConfigMap,
  type Configuration,
  type Definition,
  type EndpointSlice,
  type Json,
  type Lease,
  type List,
  type Pod,
  type Secret,
  type StatefulSet,
} from './objects.ts';
import { judgeBundle, readServing } from './serving-certificate.ts';
import { webhookAnswers } from './webhook-answers.ts';

/** ClusterFlags name a cluster and the namespace of the service in it. */
export interface ClusterFlags {
  readonly kubeconfig: string;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
}

/** openClusterFacts reads a cluster by a kubeconfig; nothing is written. */
export async function openClusterFacts(flags: ClusterFlags, program: string): Promise<ClusterFacts> {
  const connection = await openKubeconfig(flags.kubeconfig, flags.context ?? null);
  const api = new KubernetesApi(connection, program);
  const namespace = flags.namespace ?? connection.namespace ?? 'default';
  try {
    return await clusterFacts(api, namespace, program);
  } finally {
    await api.close();
  }
}

/** clusterFacts reads what the doctor judges of a cluster. What this account may not read is left out. */
export async function clusterFacts(
  api: KubernetesApi,
  namespace: string,
  program: string,
): Promise<ClusterFacts> {
  const nothing: ClusterFacts = {
    namespace,
    program,
    fault: null,
    installation: null,
    chartVersion: null,
    definitions: [],
    webhooks: [],
    webhookEndpoints: null,
    webhookAnswers: null,
    certificate: null,
    lease: null,
    pods: [],
    replicas: 0,
    dataKey: 'unknown',
    lacking: null,
    unbound: [],
  };
  const read = openReading(api);
  let found: List<StatefulSet> | null;
  try {
    found = await read<List<StatefulSet>>(`/apis/apps/v1/namespaces/${namespace}/statefulsets`, CHART);
  } catch (error) {
    if (!isIpoError(error)) throw error;
    return { ...nothing, fault: error.message };
  }
  const [installed] = found?.items ?? [];
  const seen = { ...nothing, definitions: await definitionsOf(read) };
  const webhooks = await webhooksOf(read);
  const name = installed?.metadata?.name;
  if (installed === undefined || name === undefined)
    return { ...seen, webhooks: webhooks.map((one) => toSeen(one, null)) };
  const { labels = {} } = installed.metadata ?? {};
  const place = { api, read, namespace, name, release: labels['app.kubernetes.io/instance'] ?? name };
  return {
    ...seen,
    installation: name,
    chartVersion: labels['app.kubernetes.io/version'] ?? null,
    ...(await installedFacts(place, installed, webhooks)),
  };
}

async function installedFacts(
  place: Installed,
  { spec }: StatefulSet,
  webhooks: readonly Webhook[],
): Promise<Partial<ClusterFacts>> {
  const { api, read, namespace, name, release } = place;
  const pod = spec?.template?.spec;
  const serving = readServing(await read<Secret>(`${core(namespace)}/secrets/${release}-webhook-tls`));
  return {
    replicas: spec?.replicas ?? 1,
    webhooks: webhooks.map((one) => toSeen(one, serving)),
    webhookEndpoints: await endpointsOf(read, namespace, `${name}-webhook`),
    webhookAnswers: await webhookAnswers(api, namespace, `${name}-webhook`),
    certificate: serving === null ? null : { endsAt: serving.endsAt, names: serving.names },
    lease: await leaseOf(place),
    pods: await podsOf(place),
    unbound: await unboundOf(place),
    dataKey: await dataKeyOf(place, pod),
    lacking: await lackingVerbs(api, {
      namespace,
      account: pod?.serviceAccountName ?? 'default',
      lease: `${name}-leader`,
      secret: `${release}-webhook-tls`,
      webhook: webhooks.find((one) => one.namespace === namespace)?.configuration ?? name,
      enforces: await enforcesOf(place),
    }),
  };
}

/** Installed is where an installation is read. */
interface Installed {
  readonly api: KubernetesApi;
  readonly read: Read;
  readonly namespace: string;
  /** Of the StatefulSet. */
  readonly name: string;
  readonly release: string;
}

const core = (namespace: string): string => `/api/v1/namespaces/${namespace}`;

/** Whether the settings that the chart wrote let pods be deleted. */
async function enforcesOf({ read, namespace, name }: Installed): Promise<boolean> {
  const settings = await read<ConfigMap>(`${core(namespace)}/configmaps/${name}`);
  return /^\s+allowEnforce: true$/m.test(settings?.data?.['config.yaml'] ?? '');
}

async function leaseOf({ read, namespace, name }: Installed): Promise<ClusterFacts['lease']> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}-leader`;
  const lease = await read<Lease>(path);
  if (lease === null) return null;
  const { holderIdentity, renewTime, leaseDurationSeconds = 15 } = lease.spec ?? {};
  return {
    name: `${name}-leader`,
    holder: holderIdentity ?? '',
    renewedAt: typeof renewTime === 'string' ? Date.parse(renewTime) : null,
    durationMs: leaseDurationSeconds * 1000,
  };
}

async function podsOf({ read, namespace, release }: Installed): Promise<ClusterFacts['pods']> {
  const selector = `app.kubernetes.io/instance=${release},app.kubernetes.io/component=service`;
  return ((await read<List<Pod>>(`${core(namespace)}/pods`, selector))?.items ?? []).map(toPod);
}

async function unboundOf({ read, namespace, release }: Installed): Promise<ClusterFacts['unbound']> {
  const selector = `app.kubernetes.io/instance=${release}`;
  const claims = await read<List<Claim>>(`${core(namespace)}/persistentvolumeclaims`, selector);
  return (claims?.items ?? []).flatMap(({ metadata, status }) =>
    status?.phase === 'Bound' ? [] : [metadata?.name ?? ''],
  );
}

type Read = <T>(path: string, labelSelector?: string) => Promise<T | null>;

/** Null for what is not there, and for what this account may not read. */
function openReading(api: KubernetesApi): Read {
  return async <T>(path: string, labelSelector?: string): Promise<T | null> => {
    try {
      return await api.find<T>({
        method: 'GET',
        path,
        what: path,
        ...(labelSelector !== undefined && { query: { labelSelector } }),
      });
    } catch (error) {
      if (isFault(error, 'forbidden')) return null;
      throw error;
    }
  };
}

async function definitionsOf(read: Read): Promise<ClusterFacts['definitions']> {
  return Promise.all(
    customResourceDefinitions().map(async (wanted) => {
      const { name } = wanted['metadata'] as { readonly name: string };
      const found = await read<Definition>(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
      if (found === null) return { name, state: 'missing' } as const;
      const established = found.status?.conditions?.some(
        ({ type, status }) => type === 'Established' && status === 'True',
      );
      if (established === false) return { name, state: 'not_established' } as const;
      const there = new Set(fieldsOf(found.spec));
      const lacks = fieldsOf((wanted as unknown as Definition).spec).some((field) => !there.has(field));
      return { name, state: lacks ? 'older' : 'ok' } as const;
    }),
  );
}

/** Paths of all fields in a definition's schemas: other parts are written by the API server as it likes. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'properties' && inner !== null && typeof inner === 'object'
      ? Object.entries(inner as Json).flatMap(([field, below]) => [
          `${path}.${field}`,
          ...fieldsOf(below, `${path}.${field}`),
        ])
      : fieldsOf(inner, path),
  );
}

interface Webhook {
  readonly configuration: string;
  readonly namespace: string | null;
  readonly webhook: NonNullable<Configuration['webhooks']>[number];
}

async function webhooksOf(read: Read): Promise<readonly Webhook[]> {
  const all = await read<List<Configuration>>(pathOf(RESOURCES.webhooks));
  return (all?.items ?? []).flatMap(({ metadata, webhooks = [] }) =>
    webhooks
      .filter(({ name }) => name === 'pods.ipo.dev')
      .map((webhook) => ({
        configuration: metadata?.name ?? '',
        namespace: webhook.clientConfig?.service?.namespace ?? null,
        webhook,
      })),
  );
}

function toSeen({ configuration, namespace, webhook }: Webhook, serving: ReturnType<typeof readServing>) {
  const {
    clientConfig,
    failurePolicy = 'Fail',
    timeoutSeconds = 10,
    rules = [],
    namespaceSelector,
  } = webhook;
  const expressions = namespaceSelector?.matchExpressions ?? [];
  return {
    configuration,
    namespace,
    failurePolicy,
    timeoutSeconds,
    service: clientConfig?.service?.name ?? null,
    exempt: expressions.flatMap(({ key, operator, values = [] }) =>
      key === 'kubernetes.io/metadata.name' && operator === 'NotIn' ? values : [],
    ),
    resources: rules.flatMap(({ resources = [] }) => resources),
    hasPath: (clientConfig?.service?.path ?? '').startsWith(`${REVIEW_PATH}/`),
    caBundle: judgeBundle(clientConfig?.caBundle, serving),
  };
}

async function endpointsOf(read: Read, namespace: string, service: string): Promise<number | null> {
  if ((await read(`/api/v1/namespaces/${namespace}/services/${service}`)) === null) return null;
  const slices = await read<List<EndpointSlice>>(
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
    `kubernetes.io/service-name=${service}`,
  );
  const endpoints = (slices?.items ?? []).flatMap(({ endpoints: all }) => all ?? []);
  return endpoints.filter(({ conditions }) => conditions?.ready !== false).length;
}

function toPod({ metadata, spec, status }: Pod): SeenPod {
  const states = status?.containerStatuses ?? [];
  return {
    name: metadata?.name ?? '',
    ready: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    image: spec?.containers?.[0]?.image ?? '',
    restarts: Math.max(0, ...states.map(({ restartCount = 0 }) => restartCount)),
    waiting: states.map(({ state }) => state?.waiting?.reason).find((reason) => reason !== undefined) ?? null,
  };
}

async function dataKeyOf(
  { api, namespace, release }: Installed,
  spec: NonNullable<NonNullable<StatefulSet['spec']>['template']>['spec'],
): Promise<ClusterFacts['dataKey']> {
  const env = spec?.containers?.flatMap(({ env: all = [] }) => all) ?? [];
  const name =
    env.find((one) => one.name === 'DATA_KEY')?.valueFrom?.secretKeyRef?.name ?? `${release}-data-key`;
  try {
    const secret = await api.find<Secret>({
      method: 'GET',
      path: `/api/v1/namespaces/${namespace}/secrets/${name}`,
      what: `the Secret ${name}`,
    });
    if (secret === null) return 'missing';
    const key = Buffer.from(secret.data?.['DATA_KEY'] ?? '', 'base64')
      .toString('utf8')
      .trim();
    return Buffer.from(key, 'base64').length === 32 ? 'ok' : 'invalid';
  } catch (error) {
    if (isFault(error, 'forbidden')) return 'unknown';
    throw error;
  }
}
