import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/index.ts';
import type { SweepAccount } from '../../reconcile/index.ts';
import { askReplicas, mayHold, ReplicaList, type ReplicaStanding } from '../../replicas/index.ts';
import { replicaStore, type Store } from '../../store/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ServiceParts } from './parts.ts';
import type { Settings } from '../config/settings.ts';
import { timers } from '../running/timers.ts';
import type { WebhookPeer } from '../webhook/webhook-peer.ts';

/** ReplicasDeps are what the replicas of a service are joined with. */
export interface ReplicasDeps {
  readonly store: Store;
  readonly parts: Pick<ServiceParts, 'audit' | 'together'>;
  readonly settings: Pick<Settings, 'clusterName'>;
  /** Null outside a cluster. */
  readonly cluster: Pick<Cluster, 'spoolNotes'> | null;
  /** The webhook's part, which holds the rows of this replica. */
  readonly peer: Pick<WebhookPeer, 'seen' | 'tick' | 'replicas'>;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** ServiceReplicas is what a service knows of the rows that replicas hold, its own among them. */
export interface ServiceReplicas {
  /** Asks all of the cluster, for a sweep. */
  readonly account: SweepAccount;
  readonly list: Pick<ReplicaList, 'list' | 'forget'>;
  /** As they were last seen; without I/O. */
  standings(): readonly ReplicaStanding[];
}

/** openReplicas joins them. */
export function openReplicas(deps: ReplicasDeps): ServiceReplicas {
  const { store, parts, settings, peer, clock, metrics } = deps;
  const cluster = settings.clusterName ?? '';
  const notes = deps.cluster?.spoolNotes ?? null;
  const replicas = replicaStore(store);
  const standings = (): readonly ReplicaStanding[] => peer.seen;
  metrics.collect(async () => measure(standings(), metrics, clock.now()));
  return {
    account: (fence, signal) =>
      askReplicas(
        {
          cluster,
          store: replicas,
          notes,
          clock,
          wait,
          own: () => peer.tick(),
          newToken: () => randomBytes(12).toString('hex'),
        },
        fence,
        signal,
      ),
    list: new ReplicaList({
      cluster,
      store: replicas,
      notes,
      ...parts,
      clock,
      report: { look: () => peer.replicas() },
    }),
    standings,
  };
}

/** heldSince gives since when a replica may hold rows: the oldest time of all that may; null when none may. UTC milliseconds. */
export function heldSince(standings: readonly ReplicaStanding[]): number | null {
  const times = standings
    .filter(({ state }) => mayHold(state))
    .map(({ line }) => line.holdingSince ?? line.cleanAt ?? line.startedAt);
  return times.length === 0 ? null : Math.min(...times);
}

function measure(standings: readonly ReplicaStanding[], metrics: Metrics, now: number): void {
  for (const state of ['answers', 'spools', 'missing'] as const)
    metrics.set('svc_replicas', standings.filter((one) => one.state === state).length, { state });
  const held = standings.filter(({ state }) => mayHold(state)).map(({ line }) => line.rows);
  metrics.set(
    'svc_replicas_held_rows',
    held.reduce((sum, rows) => sum + rows, 0),
  );
  const since = heldSince(standings);
  metrics.set('svc_replicas_unaccounted_seconds', since === null ? 0 : Math.max(0, now - since) / 1000);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timers.after(ms, done);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}
