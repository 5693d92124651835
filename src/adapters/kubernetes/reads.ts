import type { ExposureIndex, IngressRoute, ServiceRoute } from '../../pods/index.ts';
import type { Log } from '../../base/index.ts';
import { ClusterError, type PolicyObject } from '../../cluster/index.ts';
import { type ElectionClock } from '../../leadership/index.ts';
import type { ReadyNodes } from '../../nodes/index.ts';
import type { RunningPods } from '../../reconcile/index.ts';
import type { KubernetesApi } from './api.ts';
import { Informer, type OpenInformer } from './informer.ts';
import { openNodeReads } from './node-reads.ts';
import { openOwnerReads, type OwnerReads } from './owner-reads.ts';
import { toHeldPod, toRunningPod, type HeldPod } from './pods.ts';
import { toPolicyObject } from './policy-objects.ts';
import { RESOURCES, type Resource } from './resources.ts';
import { openRouteReads } from './route-reads.ts';

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

/** openReads opens the informers of everything that the operator looks at. */
export function openReads({ api, clock, log, onPolicies, onRuntimePolicies }: ReadsDeps): ClusterReads {
  const open: OpenInformer = (resource, project, more = {}) =>
    new Informer({ api, clock, log, resource, project, ...more });
  let changes = 0;
  const changed = (): void => void (changes += 1);
  const policies = openPolicies(open, RESOURCES.imagePolicies, onPolicies);
  const runtimePolicies = openPolicies(open, RESOURCES.runtimePolicies, onRuntimePolicies);
  const namespaces = open<HeldNamespace>(
    RESOURCES.namespaces,
    ({ metadata }) =>
      metadata?.name === undefined ? null : { name: metadata.name, labels: metadata.labels ?? {} },
    { metadataOnly: true },
  );
  const { exposure, services, ingresses } = openRouteReads(open, changed);
  const owners = openOwnerReads(open);
  const pods = open<HeldPod | Unread>(RESOURCES.pods, (object) => {
    const pod = toHeldPod(object);
    if (pod !== null) return pod;
    const { namespace = '', name = '' } = object.metadata ?? {};
    log.warn('a pod of the cluster cannot be read', { pod: `${namespace}/${name}` });
    return UNREAD;
  });
  const nodes = openNodeReads(open, changed);

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
  return {
    exposure,
    runningPods: { list: async () => runningIn(pods, owners, platformOfNode, isFresh(pods)) },
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

function openPolicies(
  open: OpenInformer,
  resource: Resource,
  take: ((objects: readonly PolicyObject[]) => void) | undefined,
): Informer<PolicyObject> {
  const informer: Informer<PolicyObject> = open(resource, (object) => toPolicyObject(resource, object), {
    onChange: () => take?.([...informer.objects.values()]),
  });
  return informer;
}

/** The pods of the cluster as they are judged. Throws what keeps them from being read. */
function runningIn(
  pods: Informer<HeldPod | Unread>,
  owners: OwnerReads,
  platformOfNode: (node: string) => string | null,
  isFresh: boolean,
): Awaited<ReturnType<RunningPods['list']>> {
  // Only the node that it runs on: one that is not bound yet may still go anywhere.
  const platformOfPod = ({ spec: { nodeName } }: HeldPod) =>
    typeof nodeName === 'string' ? platformOfNode(nodeName) : null;
  if (!pods.synced)
    throw pods.fault ?? new ClusterError('network', 'the pods of the cluster were not read yet');
  const all = [...pods.objects.values()];
  const read = all.filter((pod) => pod !== UNREAD);
  // A pod that was not read may run anything.
  const complete = isFresh && read.length === all.length;
  return {
    complete,
    pods: read.map((pod) => ({ ...toRunningPod(pod, owners.ownerOf), platform: platformOfPod(pod) })),
  };
}
