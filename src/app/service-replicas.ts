import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { nextLife } from '../adapters/spool/index.ts';
import type { Clock, Log } from '../base/index.ts';
import type { Appender } from '../ledger/index.ts';
import type { SweepAccount } from '../reconcile/index.ts';
import { askReplicas, mayHold, ReplicaList, ReplicaReport, type ReplicaStanding } from '../replicas/index.ts';
import { replicaStore, type Store } from '../store/index.ts';
import type { Metrics } from '../telemetry/index.ts';
import type { Cluster } from './cluster.ts';
import type { Places } from './data-directory.ts';
import type { Job } from './jobs.ts';
import type { ServiceParts } from './service-parts.ts';
import type { Settings } from './settings.ts';
import { timers } from './timers.ts';

/** ReplicasDeps are what the replicas of a service are joined with. */
export interface ReplicasDeps {
  readonly store: Store;
  readonly parts: Pick<ServiceParts, 'audit' | 'together'>;
  readonly places: Pick<Places, 'spoolDirectory'>;
  readonly settings: Pick<Settings, 'clusterName'>;
  /** Null where the service stands alone. */
  readonly cluster: Pick<Cluster, 'spoolNotes'> | null;
  readonly appender: Appender;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** ServiceReplicas is what a service knows of the rows that replicas hold, its own among them. */
export interface ServiceReplicas {
  readonly name: string;
  /** Asks all of the cluster, for a sweep. */
  readonly account: SweepAccount;
  readonly list: Pick<ReplicaList, 'list' | 'forget'>;
  /** As they were last seen; without I/O. */
  standings(): readonly ReplicaStanding[];
  readonly job: Job;
  /** Says that this replica ended; to be called when nothing is appended any more. */
  end(): Promise<void>;
}

/** How often a replica looks for a question. */
const EVERY = 2_000;

/** openReplicas joins them, and makes the line of this replica: before that, no review may be answered. */
export async function openReplicas(deps: ReplicasDeps): Promise<ServiceReplicas> {
  const { store, parts, places, settings, appender, clock, log, metrics } = deps;
  const cluster = settings.clusterName ?? '';
  const notes = deps.cluster?.spoolNotes ?? null;
  const replicas = replicaStore(store);
  const host = process.env['POD_NAME'] ?? hostname();
  const life = (another: boolean) => nextLife(places.spoolDirectory, host, another);
  const report = new ReplicaReport({
    ...{ cluster, store: replicas, ledger: appender, notes, clock, log },
    ...{ me: await life(false), another: () => life(true) },
  });
  await report.begin();
  metrics.collect(async () => measure(report.standings(), metrics, clock.now()));
  return {
    name: report.name,
    account: (fence, signal) =>
      askReplicas(
        {
          ...{ cluster, store: replicas, notes, clock, wait },
          own: () => report.tick(),
          newToken: () => randomBytes(12).toString('hex'),
        },
        fence,
        signal,
      ),
    list: new ReplicaList({ cluster, store: replicas, report, notes, ...parts, clock }),
    standings: () => report.standings(),
    job: { name: 'replica', every: EVERY, leaderOnly: false, atStart: true, run: () => report.tick() },
    end: () => report.end(),
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
