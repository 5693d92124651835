import { examine, SERVICE_CHECKS, type CheckResult } from '../../doctor/index.ts';
import { DAY_MS, type Clock } from '../../base/index.ts';
import {
  backupHistory,
  clusterIds,
  joinedShare,
  nodeStandings,
  writeFault,
  type Store,
} from '../../store/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Settings } from '../config/settings.ts';
import type { Job } from '../running/jobs.ts';
import { isGuarded, knownCallers } from '../webhook/known-callers.ts';
import { proxyFault } from './proxy-fault.ts';
import { serviceFacts, type FactsDeps } from './service-facts.ts';

/** ServiceDoctorDeps are what the doctor of a service is joined with. */
export interface ServiceDoctorDeps extends Pick<
  FactsDeps,
  'health' | 'parts' | 'channels' | 'mutes' | 'licence' | 'database'
> {
  readonly store: Store;
  readonly settings: Settings;
  /** Null outside of a cluster. */
  readonly cluster: Pick<Cluster, 'clusterId'> | null;
  readonly clock: Clock;
}

/** openServiceDoctor gives what examines the service. */
export function openServiceDoctor(deps: ServiceDoctorDeps): () => Promise<readonly CheckResult[]> {
  const { store, settings, cluster, clock } = deps;
  const { webhook, clusterName = '', outbound } = settings;
  const ids = clusterIds(store);
  const facts: FactsDeps = {
    ...deps,
    backups: backupHistory(store),
    backupEvery: settings.backup.schedule ?? null,
    nodes: async () => (await nodeStandings(store).all()).get(clusterName) ?? null,
    sameName: async () =>
      cluster === null ? [] : ids.others(clusterName, await cluster.clusterId(), clock.now() - DAY_MS),
    runtimeEvents: () => joinedShare(store, clock.now() - DAY_MS),
    writeFault: () => writeFault(store),
    proxyFault: () => proxyFault(outbound.proxy),
    guarded: isGuarded(knownCallers(webhook, cluster !== null)),
    hasDataKey: settings.dataKey !== undefined,
    allowedHosts: settings.trackers.allowedHosts,
    scannerOff: settings.scanner.kind === 'off',
  };
  return async () => {
    const now = clock.now();
    return examine(SERVICE_CHECKS, 'service', await serviceFacts(facts, now), now);
  };
}

/** clusterIdJobs say every hour which cluster reports under its name, so that two with one name are found; none outside of a cluster. */
export function clusterIdJobs({
  store,
  settings,
  cluster,
  clock,
}: Pick<ServiceDoctorDeps, 'store' | 'settings' | 'cluster' | 'clock'>): readonly Job[] {
  if (cluster === null) return [];
  const ids = clusterIds(store);
  return [
    {
      name: 'cluster-id',
      every: 3_600_000,
      leaderOnly: false,
      atStart: true,
      run: async () => ids.seen(settings.clusterName ?? '', await cluster.clusterId(), clock.now()),
    },
  ];
}
