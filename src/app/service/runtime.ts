import type { Clock, Count, Log } from '../../base/index.ts';
import {
  DecideEvents,
  type PodsNow,
  type PodStopper,
  type RuntimePolicySource,
} from '../../runtime/index.ts';
import { decisionStore, runtimePolicySource, runtimeRuleStore, type Store } from '../../store/index.ts';
import type { Replayer } from '../../whatif/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Settings } from '../config/settings.ts';
import { openDetector, type DetectorDeps, type ServiceDetector } from '../detector/detector.ts';
import type { Job } from '../running/jobs.ts';
import type { ServiceParts } from './parts.ts';
import { openKnownPods } from './known-pods.ts';
import { openPodStops } from './pod-stops.ts';

/** RuntimeOptions are what events of the detector are taken and decided with. */
export interface RuntimeOptions {
  /** As it was opened: these writes carry the fence of their own cluster. */
  readonly store: Store;
  readonly settings: DetectorDeps['settings'] & Pick<Settings, 'reconcile' | 'runtime'>;
  readonly places: DetectorDeps['places'];
  readonly cluster: Cluster | null;
  readonly parts: Pick<ServiceParts, 'inForce'>;
  readonly replay: Replayer;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: DetectorDeps['metrics'] & Count;
}

/** ServiceRuntime takes events of the runtime detector and decides them. */
export interface ServiceRuntime extends Pick<ServiceDetector, 'jobs' | 'start' | 'close'> {
  readonly detector: ServiceDetector['routes'];
}

/** An event is decided within a second. */
const EVERY = 250;

/** openRuntime joins the listener with what decides its events. */
export function openRuntime(options: RuntimeOptions): ServiceRuntime {
  const { jobs, routes, start, close } = openDetector(options);
  return { detector: routes, jobs: [...jobs, ...runtimeJobs(options)], start, close };
}

/** runtimeJobs decide events and stop pods for them: the jobs of who leads the cluster. */
function runtimeJobs(options: RuntimeOptions): readonly Job[] {
  const { store, settings, cluster, clock, metrics: count } = options;
  const decisions = decisionStore(store, signatureKeys(options.parts));
  const synced = (): boolean => cluster?.reads.states().every((one) => one.synced) ?? true;
  const known = cluster === null ? null : openKnownPods(cluster.reads.runningPods, { clock, synced });
  const events = new DecideEvents({
    cluster: settings.clusterName ?? '',
    store: decisions,
    rules: runtimeRuleStore(store),
    clock,
    count,
    policies: cluster === null ? runtimePolicySource(store) : objectsInEffect(cluster),
    pods: (digests) => (known === null ? knownImages(decisions, digests) : known.now()),
    stopper: cluster === null ? null : stopperOf(options, cluster),
    fence: () => (cluster === null ? null : cluster.leader.fence()),
  });
  const leads = (): boolean => cluster === null || (cluster.leadsCluster() && synced());
  const at = { every: EVERY, again: EVERY, leaderOnly: false, mayRun: leads };
  return [
    { name: 'runtime-decisions', ...at, atStart: true, run: (signal) => events.run(signal) },
    ...(settings.integrations.detector.enabled ? (known?.jobs ?? []) : []),
    ...(cluster === null
      ? []
      : [{ name: 'runtime-stops', ...at, run: (signal: AbortSignal) => events.stop(signal) }]),
  ];
}

/** The keys of image signatures that the policies in effect name. */
function signatureKeys({ inForce }: RuntimeOptions['parts']): () => Promise<readonly string[]> {
  return async () => [...new Set((await inForce()).policies.flatMap(({ spec }) => spec.signature.keys))];
}

function stopperOf(options: RuntimeOptions, cluster: Cluster): PodStopper {
  return openPodStops({ ...options, cluster, replayer: options.replay, count: options.metrics });
}

function objectsInEffect({ runtimePolicies }: Cluster): RuntimePolicySource {
  return { inEffect: async () => runtimePolicies.policies.current() ?? [] };
}

/** Outside of a cluster nothing is known to run: a digest counts that was reviewed or scanned. */
async function knownImages(
  store: Pick<ReturnType<typeof decisionStore>, 'images'>,
  named: readonly string[],
): Promise<PodsNow> {
  const digests = named.map((text) => text.slice(text.lastIndexOf('@') + 1));
  const images = await store.images([...new Set(digests)]);
  return {
    byUid: () => null,
    byName: () => null,
    byContainer: () => null,
    imageOf: (digest) => (images.has(digest) ? (images.get(digest)?.name ?? digest) : null),
  };
}
