import {
  ingressObject,
  RouteTable,
  serviceObject,
  toIngressRoute,
  toServiceRoute,
  type ExposureIndex,
  type IngressRoute,
  type ServiceRoute,
} from '../../pods/index.ts';
import type { Log } from '../../base/index.ts';
import { ClusterError, type PolicyObject } from '../../cluster/index.ts';
import { type ElectionClock } from '../../leadership/index.ts';
import { toPlatformName } from '../../image/index.ts';
import type { ReadyNodes } from '../../nodes/index.ts';
import type { RunningPods } from '../../reconcile/index.ts';
import type { KubernetesApi } from './api.ts';
import { Informer, type InformerOptions } from './informer.ts';
import { controllerOf, toHeldPod, toRunningPod, type HeldPod } from './pods.ts';
import { toPolicyObject } from './policy-objects.ts';
import { RESOURCES, type KubeObject, type Resource } from './resources.ts';

/** ReadsDeps are what the cluster is read with. */
export interface ReadsDeps {
  readonly api: KubernetesApi;
  readonly clock: ElectionClock;
  readonly log: Log;
  /** Called with all ImagePolicy objects after each change of one. */
  readonly onPolicies: (objects: readonly PolicyObject[]) => void;
  /** The same of RuntimePolicy objects. */
  readonly onRuntimePolicies?: (objects: readonly PolicyObject[]) => void;
}

/** KeptReads are what a process keeps in step with the cluster that does not watch it. Each is null before it was read. */
export interface KeptReads {
  /** Grows with each change of any of them. */
  changes(): number;
  services(): ReadonlyMap<string, ServiceRoute> | null;
  ingresses(): ReadonlyMap<string, IngressRoute> | null;
  nodes(): ReadonlyMap<string, string | null> | null;
}

/** ReadState is how the reading of one kind stands. */
export interface ReadState {
  readonly kind: string;
  readonly objects: number;
  readonly synced: boolean;
  readonly staleSince: number | null;
  readonly fault: string | null;
}

/** What is kept of a namespace. */
interface HeldNamespace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** ClusterReads is what the process holds in memory of its cluster, kept up to date by watches. */
export interface ClusterReads {
  readonly exposure: ExposureIndex;
  readonly runningPods: RunningPods;
  readonly readyNodes: ReadyNodes;
  /** The platforms of all nodes, ready or not, in the form of formatPlatform; null before they were read. */
  nodePlatforms(): readonly string[] | null;
  /** That of one node, or null. */
  platformOf(node: string): string | null;
  /** Services and Ingresses by `namespace/name`, platforms by node: what another process keeps of them. */
  readonly kept: KeptReads;
  /** Null where there is no such namespace. */
  namespaceLabels(name: string): Readonly<Record<string, string>> | null;
  /** UTC milliseconds since when the policies may be old; null while they are not. */
  policiesStaleSince(): number | null;
  states(): readonly ReadState[];
  start(): void;
  /** Whether everything was read within the time. */
  untilSynced(ms: number): Promise<boolean>;
  stop(): Promise<void>;
}

/** Older contents are not taken for whole, or counted. */
const MAX_AGE_MS = 120_000;

/** A pod that could not be read: it is there, and nothing more is known. */
const UNREAD = Symbol('unread');
type Unread = typeof UNREAD;

interface HeldNode {
  readonly ready: boolean;
  /** As parsePlatform reads it: `linux/arm64`; null where the node does not say. */
  readonly platform: string | null;
}

/** openReads opens the informers of everything that the operator looks at. */
export function openReads({ api, clock, log, onPolicies, onRuntimePolicies }: ReadsDeps): ClusterReads {
  const open = <T>(
    resource: Resource,
    project: (object: KubeObject) => T | null,
    more: Partial<InformerOptions<T>> = {},
  ) => new Informer<T>({ api, clock, log, resource, project, ...more });

  const openPolicies = (
    resource: Resource,
    take: ((objects: readonly PolicyObject[]) => void) | undefined,
  ): Informer<PolicyObject> => {
    const informer: Informer<PolicyObject> = open(resource, (object) => toPolicyObject(resource, object), {
      onChange: () => take?.([...informer.objects.values()]),
    });
    return informer;
  };
  const policies = openPolicies(RESOURCES.imagePolicies, onPolicies);
  const runtimePolicies = openPolicies(RESOURCES.runtimePolicies, onRuntimePolicies);
  const namespaces = open<HeldNamespace>(
    RESOURCES.namespaces,
    ({ metadata }) =>
      metadata?.name === undefined ? null : { name: metadata.name, labels: metadata.labels ?? {} },
    { metadataOnly: true },
  );
  const routes = new RouteTable();
  let changes = 0;
  /** Takes over what changed; after a list, what is not there any more as well. */
  const follow = <T>(
    held: () => ReadonlyMap<string, T>,
    set: (key: string, route: T | undefined) => void,
  ) => {
    const known = new Set<string>();
    return (keys: readonly string[] | null): void => {
      changes += 1;
      const objects = held();
      for (const key of keys ?? new Set([...known, ...objects.keys()])) {
        const route = objects.get(key);
        set(key, route);
        if (route === undefined) known.delete(key);
        else known.add(key);
      }
    };
  };
  const services = open<ServiceRoute>(
    RESOURCES.services,
    (object) => {
      const read = serviceObject.safeParse(object);
      return read.success ? toServiceRoute(read.data, object.metadata?.namespace ?? '') : null;
    },
    { onChange: (keys) => servicesChanged(keys) },
  );
  const servicesChanged = follow(
    () => services.objects,
    (key, route) => routes.setService(key, route),
  );
  const ingresses = open<IngressRoute>(
    RESOURCES.ingresses,
    (object) => {
      const read = ingressObject.safeParse(object);
      return read.success ? toIngressRoute(read.data, object.metadata?.namespace ?? '') : null;
    },
    { onChange: (keys) => ingressesChanged(keys) },
  );
  const ingressesChanged = follow(
    () => ingresses.objects,
    (key, route) => routes.setIngress(key, route),
  );
  const owners = openOwners(open);
  const pods = open<HeldPod | Unread>(RESOURCES.pods, (object) => {
    const pod = toHeldPod(object);
    if (pod !== null) return pod;
    const { namespace = '', name = '' } = object.metadata ?? {};
    log.warn('a pod of the cluster cannot be read', { pod: `${namespace}/${name}` });
    return UNREAD;
  });
  const nodes = open<HeldNode>(
    RESOURCES.nodes,
    (object) => ({ ready: isReady(object), platform: platformOf(object) }),
    { onChange: () => void (changes += 1) },
  );

  const all = {
    policies,
    runtimePolicies,
    namespaces,
    services,
    ingresses,
    replicaSets: owners.replicaSets,
    jobs: owners.jobs,
    pods,
    nodes,
  };
  const isFresh = (informer: Pick<Informer<unknown>, 'synced' | 'staleSince'>): boolean => {
    const since = informer.staleSince();
    return informer.synced && (since === null || clock.now() - since < MAX_AGE_MS);
  };
  const platformOfNode = (node: string) => nodes.objects.get(node)?.platform ?? null;
  // Only the node that it runs on: one that is not bound yet may still go anywhere.
  const platformOfPod = ({ spec: { nodeName } }: HeldPod) =>
    typeof nodeName === 'string' ? platformOfNode(nodeName) : null;
  return {
    exposure: routes,
    runningPods: {
      list: async () => {
        if (!pods.synced)
          throw pods.fault ?? new ClusterError('network', 'the pods of the cluster were not read yet');
        const all = [...pods.objects.values()];
        const read = all.filter((pod) => pod !== UNREAD);
        // A pod that was not read may run anything.
        const complete = isFresh(pods) && read.length === all.length;
        return {
          complete,
          pods: read.map((pod) => ({ ...toRunningPod(pod, owners.ownerOf), platform: platformOfPod(pod) })),
        };
      },
    },
    readyNodes: {
      count: async () =>
        isFresh(nodes) ? [...nodes.objects.values()].filter(({ ready }) => ready).length : null,
    },
    nodePlatforms: () => {
      if (!nodes.synced) return null;
      const found = new Set([...nodes.objects.values()].flatMap(({ platform }) => platform ?? []));
      return [...found].toSorted();
    },
    platformOf: platformOfNode,
    kept: {
      changes: () => changes,
      services: () => (services.synced ? services.objects : null),
      ingresses: () => (ingresses.synced ? ingresses.objects : null),
      nodes: () =>
        nodes.synced ? new Map([...nodes.objects].map(([name, { platform }]) => [name, platform])) : null,
    },
    namespaceLabels: (name) => namespaces.objects.get(name)?.labels ?? null,
    policiesStaleSince: () => policies.staleSince(),
    states: () =>
      Object.entries(all).map(([kind, informer]) => ({
        kind,
        objects: informer.objects.size,
        synced: informer.synced,
        staleSince: informer.staleSince(),
        fault: informer.fault?.message ?? null,
      })),
    start: () => Object.values(all).forEach((informer) => informer.start()),
    untilSynced: async (ms) => {
      const synced = await Promise.all(Object.values(all).map((informer) => informer.untilSynced(ms)));
      return synced.every(Boolean);
    },
    stop: async () => void (await Promise.all(Object.values(all).map((informer) => informer.stop()))),
  };
}

/** The owners of what owns pods, so that a pod is told under its Deployment or CronJob. */
function openOwners(
  open: <T>(
    resource: Resource,
    project: (object: KubeObject) => T | null,
    more?: Partial<InformerOptions<T>>,
  ) => Informer<T>,
) {
  const toOwner = (object: KubeObject) => controllerOf(object);
  const replicaSets = open(RESOURCES.replicaSets, toOwner, { metadataOnly: true });
  const jobs = open(RESOURCES.jobs, toOwner, { metadataOnly: true });
  const owners = new Map([
    ['ReplicaSet', replicaSets],
    ['Job', jobs],
  ]);
  return {
    replicaSets,
    jobs,
    ownerOf: (kind: string, key: string) => owners.get(kind)?.objects.get(key) ?? null,
  };
}

function platformOf(object: KubeObject): string | null {
  const { nodeInfo } =
    (
      object as {
        readonly status?: {
          readonly nodeInfo?: { readonly operatingSystem?: unknown; readonly architecture?: unknown };
        };
      }
    ).status ?? {};
  const { operatingSystem: os, architecture } = nodeInfo ?? {};
  return typeof os === 'string' && typeof architecture === 'string'
    ? toPlatformName({ os, architecture })
    : null;
}

function isReady(object: KubeObject): boolean {
  const { conditions = [] } =
    (
      object as {
        readonly status?: {
          readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
        };
      }
    ).status ?? {};
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
