import {
  imageReportObjects,
  policyReportObjects,
  type KubernetesApi,
} from '../../adapters/kubernetes/index.ts';
import { readScanReports } from '../../adapters/trivy/index.ts';
import { openOperatorReports, runningDigests } from '../../adapters/trivy-operator/index.ts';
import type { Clock, Log } from '../../base/index.ts';
import {
  ClusterError,
  REPORT_NAME,
  writeImageReports,
  writePolicyReports,
  type ClusterEvents,
  type ClusterPolicies,
} from '../../cluster/index.ts';
import { type Election, type ElectionClock } from '../../leadership/index.ts';
import { UnscannableNews, type RunningPods } from '../../reconcile/index.ts';
import type { RevisedRuntimePolicy } from '../../runtime/index.ts';
import { takeReports } from '../../scan/index.ts';
import {
  countFailing,
  failuresToTell,
  reportSource,
  scanStore,
  scanTimes,
  type Store,
} from '../../store/index.ts';
import { toScanEvents } from './events.ts';
import { obstacleOf } from '../scanning/obstacles.ts';
import type { Job } from '../running/jobs.ts';
import type { ClusterSettings } from '../config/cluster.ts';

/** ClusterJobsParts are what the jobs of a cluster act through. */
export interface ClusterJobsParts {
  readonly api: KubernetesApi;
  readonly store: Store;
  readonly settings: ClusterSettings;
  readonly clusterName: string | null;
  readonly policies: ClusterPolicies;
  readonly runtimePolicies: ClusterPolicies<RevisedRuntimePolicy>;
  readonly election: Election;
  readonly runningPods: RunningPods;
  readonly events: ClusterEvents;
  readonly electionClock: ElectionClock;
  readonly clock: Clock;
  readonly log: Log;
}

/** ClusterJobs are the jobs of the operator in its cluster, and the end of what they watch. */
export interface ClusterJobs {
  readonly jobs: readonly Job[];
  stop(): Promise<void>;
}

const MINUTE = 60_000;

/** clusterJobs lists the jobs of the operator in its cluster. */
export function clusterJobs(parts: ClusterJobsParts): ClusterJobs {
  const { api, store, settings, clusterName, policies, runtimePolicies, election, clock } = parts;
  const source = reportSource(store, clusterName);
  const leads = (): boolean => election.leadsCluster();
  const leader = { isLeader: () => election.isLeader(), leadsCluster: leads, fence: () => election.fence() };
  const kind = settings.policyReports;
  // What concerns only this cluster is done by its own leader, even if another one leads over a database that several clusters share.
  const own = (job: Pick<Job, 'name' | 'every' | 'run'>): Job => ({
    ...job,
    leaderOnly: false,
    mayRun: leads,
  });
  const round = () => ({ source, now: clock.now(), leads });
  const jobs: Job[] = [
    {
      name: 'policy-revisions',
      every: MINUTE / 2,
      leaderOnly: false,
      run: () => allOf([policies.record(), runtimePolicies.record()]),
    },
    own({
      name: 'policy-status',
      every: 5_000,
      run: () => allOf([policies.settle(leader), runtimePolicies.settle(leader)]),
    }),
    own({ name: 'scan-failure-events', every: MINUTE, run: tellScanFailures(parts) }),
  ];
  if (settings.imageReports) {
    const objects = imageReportObjects(api);
    const run = async (): Promise<void> => void (await writeImageReports({ ...round(), objects }));
    jobs.push(own({ name: 'image-reports', every: MINUTE, run }));
  }
  if (kind !== 'off') {
    const objects = policyReportObjects(api, kind);
    const run = async (): Promise<void> =>
      void (await writePolicyReports({ ...round(), objects }, REPORT_NAME));
    jobs.push(own({ name: 'policy-reports', every: MINUTE, run }));
  }
  const reports = settings.trivyOperator ? operatorReports(parts) : null;
  if (reports !== null) jobs.push(own({ name: 'operator-reports', every: MINUTE / 4, run: reports.run }));
  return { jobs, stop: async () => reports?.stop() };
}

/** Waits for all, so that a fault of one keeps no other from being done; then throws the first fault. */
async function allOf(acts: readonly Promise<void>[]): Promise<void> {
  const fault = (await Promise.allSettled(acts)).find(({ status }) => status === 'rejected');
  if (fault?.status === 'rejected') throw fault.reason;
}

/** Tells workloads why images that they run cannot be scanned. */
function tellScanFailures({ store, runningPods, events, clock }: ClusterJobsParts): Job['run'] {
  const news = new UnscannableNews();
  const tell = toScanEvents(events);
  return async () => {
    const { images: failing } = await countFailing(store.read);
    const pods = failing === 0 ? [] : (await runningPods.list()).pods;
    const digests = new Set(
      pods.flatMap(({ containers }) => containers.flatMap(({ digest }) => digest ?? [])),
    );
    const failures = await failuresToTell(store.read, [...digests], clock.now());
    const images = failures.map((failure) => {
      const { why, hint } = obstacleOf([failure]);
      const { digest, platform, reason } = failure;
      return { digest, platform, reason, message: `${why}. ${hint}` };
    });
    const full = new Set<string>();
    for (const event of news.due(images, pods, clock.now())) {
      // Of what is dropped the rest waits for the next turn, so that each that is put off is not counted as dropped every minute.
      const place = `${event.regarding.kind} ${event.regarding.namespace}`;
      if (full.has(place)) news.putOff(event);
      else
        tell(event, () => {
          full.add(place);
          news.putOff(event);
        });
    }
  };
}

/** Reports of trivy-operator as they come and change; nothing is watched before the first run. */
function operatorReports({ api, store, runningPods, electionClock, clock, log }: ClusterJobsParts) {
  const feed = openOperatorReports({ api, read: readScanReports, clock: electionClock, log });
  const stopping = new AbortController();
  const deps = {
    feed,
    clock,
    log,
    scans: scanStore(store),
    scannedAt: scanTimes(store),
    running: runningDigests(runningPods),
  };
  return {
    async run(signal: AbortSignal) {
      // Thousands may have come: a service that ends leaves the rest to the next.
      const ends = AbortSignal.any([signal, stopping.signal]);
      const { recorded, unnamed, refused } = await takeReports(deps, ends);
      if (ends.aborted) return;
      if (recorded + unnamed + refused > 0)
        log.info('reports of trivy-operator were taken', { recorded, unnamed, refused });
      const fault = feed.fault();
      if (fault !== null)
        throw new ClusterError('network', `reports of trivy-operator cannot be watched: ${fault}`);
    },
    async stop() {
      stopping.abort();
      await feed.stop();
    },
  };
}
