import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  clusterLivePods,
  clusterPodStopper,
  clusterPullSecrets,
  clusterReplacements,
  clusterSecrets,
  customPolicyStore,
  eventSink,
  KubernetesApi,
  leaseStore,
  openInCluster,
  openKubeconfig,
  openReads,
  policyStatuses,
  readCaBundles,
  readPullingPod,
  readWebhookPaths,
  RESOURCES,
  spoolNotes,
  writeCaBundle,
  writeWebhookPath,
  type ClusterReads,
  type Connection,
  type Secrets,
} from '../../adapters/kubernetes/index.ts';
import type { PolicySnapshot, ReviewEvents } from '../../admission/index.ts';
import type { Clock, Count, Log } from '../../base/index.ts';
import {
  ClusterError,
  ClusterPolicies,
  EventRecorder,
  IMAGE_POLICY,
  type ClusterEvents,
  type PolicyMark,
} from '../../cluster/index.ts';
import { Election, type ElectionClock, type LeaseTimes } from '../../leadership/index.ts';
import type { PullingPod, PullSecrets } from '../../image/index.ts';
import type { PolicyStore } from '../../policy/index.ts';
import type { PodEvents, PodStopper, Replacements } from '../../reconcile/index.ts';
import type { LivePods, StopNotices } from '../../runtime/index.ts';
import type { SpoolNotes } from '../../replicas/index.ts';
import { policyMirror, policyStore, type Store } from '../../store/index.ts';
import type { Leader } from '../../leadership/index.ts';
import { toPodEvents, toReviewEvents, toStopNotices } from './events.ts';
import { clusterKey, clusterUid, databaseFences } from '../leadership/database-fences.ts';
import { clusterJobs } from './jobs.ts';
import { REAL_CLOCK } from './real-clock.ts';
import { openRuntimePolicies, type RuntimePolicyObjects } from './runtime-policies.ts';
import type { Job } from '../running/jobs.ts';
import type { ClusterSettings } from '../config/cluster.ts';

/** ClusterOptions are what the operator of a cluster is joined with. */
export interface ClusterOptions {
  /** The store that leader jobs write through (`fenceWrites`). */
  readonly store: Store;
  readonly settings: ClusterSettings;
  readonly clusterName: string | null;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  /** How the cluster is reached and how time passes; as the settings say and by real time unless given. */
  readonly connection?: Connection;
  readonly electionClock?: ElectionClock;
  readonly times?: LeaseTimes;
}

/** Cluster is the operator's part in its cluster. */
export interface Cluster {
  /** Namespace of the operator: its own pods are never stopped. */
  readonly namespace: string;
  /** Who leads over the database; the trackers' Leader, and that of every leader job. */
  readonly leader: Leader;
  /** Whether this process leads this cluster, also where another cluster's operator leads over the database. */
  leadsCluster(): boolean;
  readonly policies: PolicySnapshot;
  /** Waits until a policy that the API wrote is among those that decide here, some moments at most; whether it is. */
  policyInEffect(written: PolicyMark): Promise<boolean>;
  /** The store of policies for the API: ImagePolicy objects. */
  readonly policyStore: PolicyStore;
  readonly runtimePolicies: RuntimePolicyObjects;
  readonly reads: ClusterReads;
  readonly replacements: Replacements;
  readonly stopper: PodStopper;
  /** Single pods, for stops by events of the detector, and who is told of those. */
  readonly livePods: LivePods;
  readonly stopNotices: StopNotices;
  readonly events: ClusterEvents;
  readonly reviewEvents: ReviewEvents;
  readonly podEvents: PodEvents;
  /** UID of the namespace kube-system, which no two clusters share. */
  clusterId(): Promise<string>;
  readonly secrets: Secrets;
  readonly pullSecrets: PullSecrets;
  /** Which replicas spool, as its Lease says. */
  readonly spoolNotes: SpoolNotes;
  /** Which pull secrets a pod names; null for one that is gone. */
  podOf(namespace: string, name: string): Promise<PullingPod | null>;
  /** Sets the authorities (PEM) that the API server trusts when it calls the webhooks of a configuration. */
  writeCaBundle(configuration: string, pem: string): Promise<boolean>;
  /** Those that it trusts now, one for each webhook; null where there is no such configuration. */
  readCaBundles(configuration: string): Promise<readonly string[] | null>;
  /** By which path it calls them, and setting that. */
  readWebhookPaths(configuration: string): Promise<readonly string[] | null>;
  writeWebhookPath(configuration: string, path: string): Promise<boolean>;
  readonly jobs: readonly Job[];
  /** Sentence of why reviews cannot be answered from memory yet; null when they can. */
  unready(): string | null;
  /** Begins to watch and to take part in the election. */
  start(): void;
  /** Stops watching, gives the leadership back and writes the events that wait. Leader jobs have ended before. */
  close(): Promise<void>;
}

/** The watch reports a write within milliseconds; an answer waits for it this many at most. */
const IN_EFFECT_MS = 2_000;

/** Events that wait are given this many milliseconds at the end. */
const LAST_EVENTS_MS = 2_000;

/** openCluster joins the operator with its cluster. Nothing is called before `start`, so that it opens while the API server is away. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { store, settings, clusterName, clock, log } = options;
  const { electionClock = REAL_CLOCK } = options;
  const { api, namespace } = await openApi(options);
  const me = `${process.env['POD_NAME'] ?? hostname()}_${randomBytes(4).toString('hex')}`;

  const events = openEvents(options, api, me);
  const mirror = policyMirror(store);
  const statuses = policyStatuses(api, RESOURCES.imagePolicies);
  const policies = new ClusterPolicies({ kind: IMAGE_POLICY, mirror, statuses, events, clock, log });
  const runtimePolicies = openRuntimePolicies({ api, store, events, clock, log });
  const untaken = (error: unknown): void =>
    log.error('the policies of the cluster were not taken', { error });
  const election = openElection(options, api, namespace, me);
  const reads = openReads({
    api,
    clock: electionClock,
    log,
    onPolicies: (objects) => void policies.take(objects).catch(untaken),
    onRuntimePolicies: (objects) => void runtimePolicies.policies.take(objects).catch(untaken),
  });
  const jobs = clusterJobs({
    api,
    store,
    settings,
    clusterName,
    policies,
    election,
    electionClock,
    clock,
    log,
    runtimePolicies: runtimePolicies.policies,
    runningPods: reads.runningPods,
    events,
  });
  return {
    namespace,
    leader: election,
    leadsCluster: () => election.leadsCluster(),
    policies: { current: () => policies.current(), staleSince: () => reads.policiesStaleSince() },
    policyInEffect: (written) => policyInEffect(policies, electionClock, written),
    policyStore: openPolicyStore(api, policies, mirror, store),
    runtimePolicies,
    reads,
    replacements: clusterReplacements(api),
    stopper: clusterPodStopper(api),
    livePods: clusterLivePods(api),
    stopNotices: toStopNotices(events),
    events,
    reviewEvents: toReviewEvents(events),
    podEvents: toPodEvents(events),
    clusterId: () => clusterUid(api),
    secrets: clusterSecrets(api, namespace),
    spoolNotes: spoolNotes(api, namespace, settings.leaseName),
    pullSecrets: clusterPullSecrets({ api, monotonic: () => electionClock.monotonic() }),
    podOf: (pod, name) => readPullingPod(api, pod, name),
    writeCaBundle: (configuration, pem) => writeCaBundle(api, configuration, pem),
    readCaBundles: (configuration) => readCaBundles(api, configuration),
    readWebhookPaths: (configuration) => readWebhookPaths(api, configuration),
    writeWebhookPath: (configuration, path) => writeWebhookPath(api, configuration, path),
    jobs: jobs.jobs,
    unready: () => unreadyOf(policies, reads),
    start: () => {
      reads.start();
      election.start();
    },
    close: async () => {
      await events.close(LAST_EVENTS_MS);
      await jobs.stop();
      await reads.stop();
      await election.stop();
      await api.close();
    },
  };
}

async function openApi({ connection: given, settings, version }: ClusterOptions) {
  const { kubeconfig } = settings;
  const connection =
    given ?? (await (kubeconfig === undefined ? openInCluster() : openKubeconfig(kubeconfig)));
  const api = new KubernetesApi(connection, version);
  const namespace = settings.namespace ?? connection.namespace;
  if (namespace === null)
    throw new ClusterError('setup', 'the namespace of the operator is not known', {
      hint: 'Set cluster.namespace',
    });
  return { api, namespace };
}

function openEvents(
  { electionClock = REAL_CLOCK, log, count }: ClusterOptions,
  api: KubernetesApi,
  me: string,
): EventRecorder {
  return new EventRecorder({
    sink: eventSink(api, me),
    clock: electionClock,
    log,
    count,
    newId: () => randomBytes(8).toString('hex'),
  });
}

/** The election of the leader of this cluster; `me` is how this process is named in it. */
function openElection(
  { store, settings, clusterName, clock, electionClock = REAL_CLOCK, log, times }: ClusterOptions,
  api: KubernetesApi,
  namespace: string,
  me: string,
): Election {
  return new Election({
    leases: leaseStore(api, namespace, settings.leaseName),
    fences: databaseFences(
      { store, clusterName, clock, log, monotonic: () => electionClock.monotonic() },
      () => clusterKey(api, clusterName),
      me,
    ),
    clock: electionClock,
    log,
    me,
    ...(times !== undefined && { times }),
  });
}

function openPolicyStore(
  api: KubernetesApi,
  policies: ClusterPolicies,
  mirror: ReturnType<typeof policyMirror>,
  store: Store,
): PolicyStore {
  const revisions = policyStore(store);
  return customPolicyStore(api, {
    inEffect: (name) => policies.inEffect(name),
    record: (writes) => mirror.record(writes),
    revisions: (name, page) => revisions.revisions(name, page),
    revision: (name, revision) => revisions.revision(name, revision),
  });
}

async function policyInEffect(
  policies: ClusterPolicies,
  clock: ElectionClock,
  written: PolicyMark,
): Promise<boolean> {
  const over = new AbortController();
  const late = clock.wait(IN_EFFECT_MS, over.signal).then(() => false);
  let waits = true;
  while (waits && !policies.holds(written))
    waits = await Promise.race([policies.taken().then(() => true), late]);
  over.abort();
  return policies.holds(written);
}

function unreadyOf(policies: ClusterPolicies, reads: ClusterReads): string | null {
  if (policies.current() === null) return 'the policies of the cluster were not read yet';
  const waiting = reads
    .states()
    .find(({ kind, synced }) => !synced && (kind === 'services' || kind === 'ingresses'));
  return waiting === undefined ? null : `the ${waiting.kind} of the cluster were not read yet`;
}
