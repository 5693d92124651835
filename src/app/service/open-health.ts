import type { UntrustedProxies } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import { backupHistory, countFailing, type Store } from '../../store/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import type { Jobs } from '../running/jobs.ts';
import type { ServiceTrackers } from '../trackers/trackers.ts';
import type { ServiceFacts } from './facts.ts';
import { feedStates } from './health-parts.ts';
import { ServiceHealth, type HealthDeps } from './health.ts';
import type { ServiceLedger } from './ledger.ts';
import type { ServiceOperator } from './operator.ts';
import type { ServiceParts } from './parts.ts';

/** OpenHealthDeps are the parts of a running service that its health is asked of. */
export interface OpenHealthDeps extends Pick<HealthDeps, 'ledgerQueue' | 'replay' | 'version'> {
  readonly parts: ServiceParts;
  readonly store: Store;
  readonly jobs: Pick<Jobs, 'states'>;
  readonly ledger: ServiceLedger;
  readonly operator: ServiceOperator;
  readonly facts: ServiceFacts;
  readonly trackers: ServiceTrackers;
  readonly proxies: UntrustedProxies;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** openHealth joins the health of a service with its parts. */
export function openHealth(deps: OpenHealthDeps): ServiceHealth {
  const { parts, store, jobs, ledger, operator, facts, trackers, proxies, clock } = deps;
  return new ServiceHealth({
    ...deps,
    jobs: { states: () => [...jobs.states(), ...(operator.peer.status?.jobs ?? [])] },
    anchors: ledger.anchors,
    ledgerClock: () => ledger.clock(),
    engine: store.engine,
    startedAt: clock.now(),
    operator: () => operator.health(),
    scanner: () => facts.health(),
    scanFailures: () => countFailing(store.read),
    lastBackup: backupHistory(store).lastDone,
    notifications: () => trackers.notifications.counts(),
    registries: () => facts.registries(),
    untrustedProxies: () => proxies.list(),
    feeds: () => feedStates(store, { kev: parts.kev, trivyDb: facts.scanning.database }),
  });
}
