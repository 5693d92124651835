import { imageReportObjects, policyReportObjects, type KubernetesApi } from '../adapters/kubernetes/index.ts';
import type { Clock } from '../base/index.ts';
import {
  REPORT_NAME,
  writeImageReports,
  writePolicyReports,
  type ClusterPolicies,
  type Election,
} from '../cluster/index.ts';
import { reportSource, type Store } from '../store/index.ts';
import type { Job } from './jobs.ts';
import type { ClusterSettings } from './settings-cluster.ts';

/** ClusterJobsParts are what the jobs of a cluster act through. */
export interface ClusterJobsParts {
  readonly api: KubernetesApi;
  readonly store: Store;
  readonly settings: ClusterSettings;
  readonly clusterName: string | null;
  readonly policies: ClusterPolicies;
  readonly election: Election;
  readonly clock: Clock;
}

const MINUTE = 60_000;

/** clusterJobs lists the jobs of the operator in its cluster. */
export function clusterJobs({
  api,
  store,
  settings,
  clusterName,
  policies,
  election,
  clock,
}: ClusterJobsParts): readonly Job[] {
  const source = reportSource(store, clusterName);
  const leads = (): boolean => election.leadsCluster();
  const leader = { isLeader: () => election.isLeader(), leadsCluster: leads, fence: () => election.fence() };
  const kind = settings.policyReports;
  // What concerns this cluster alone is its own leader's, whoever leads over a database that several clusters share.
  const own = (job: Pick<Job, 'name' | 'every' | 'run'>): Job => ({
    ...job,
    leaderOnly: false,
    mayRun: leads,
  });
  const round = () => ({ source, now: clock.now(), leads });
  const jobs: Job[] = [
    { name: 'policy-revisions', every: MINUTE / 2, leaderOnly: false, run: () => policies.record() },
    own({ name: 'policy-status', every: 5_000, run: () => policies.settle(leader) }),
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
  return jobs;
}
