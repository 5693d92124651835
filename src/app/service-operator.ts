import { WantedScans, type DigestLookup, type ExposureIndex } from '../admission/index.ts';
import type { ClusterHealth, Health, NodesParts, WebhookHealth, WrittenPolicy } from '../api/index.ts';
import { formatTime, Secret, type Clock, type Digest, type Log } from '../base/index.ts';
import type { Appender } from '../ledger/index.ts';
import { graceOf, nodeGauges } from '../nodes/index.ts';
import type { SweepResult } from '../reconcile/index.ts';
import { mayHold, type ReplicaStanding } from '../replicas/index.ts';
import { imageStore, meterStore, nodeStandings, scanQueue, type Store } from '../store/index.ts';
import type { Metrics, Redactor } from '../telemetry/index.ts';
import type { Cluster } from './cluster.ts';
import type { Job } from './jobs.ts';
import { LAST_ASKED, openAdmission, type AdmissionHealth } from './service-admission.ts';
import { answeringJobs } from './service-history.ts';
import { openReconcile } from './service-reconcile.ts';
import { heldSince, type ServiceReplicas } from './service-replicas.ts';
import { parseListen, type Settings } from './settings.ts';
import { endsWithin, timers } from './timers.ts';
import { webhookCertificates } from './webhook-certificates.ts';

/** OperatorDeps are what the webhook of a service, and its work in its cluster, are joined with. */
export interface OperatorDeps {
  /** As it was opened: these writes carry the fence of their own cluster. */
  readonly store: Store;
  readonly settings: Settings;
  /** Null where the service stands alone. */
  readonly cluster: Cluster | null;
  readonly appender: Appender;
  /** Which replicas may hold rows. */
  readonly replicas: Pick<ServiceReplicas, 'account' | 'standings'>;
  /** What tags stand for; null where registries are not asked for it. */
  readonly tags: DigestLookup | null;
  /** Has the proofs of digests looked for, soon. */
  collect(digests: readonly Digest[]): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Takes the path by which the API server calls, so that no line of the log holds it. */
  readonly redactor: Pick<Redactor, 'add'>;
}

/** ServiceOperator is what a service does beside answering its API: its webhook, and the work in its cluster. */
export interface ServiceOperator {
  /** Judges what runs again, now; null where the service stands alone. */
  readonly sweep: (() => Promise<SweepResult | null>) | null;
  /** What the routes of nodes are asked of. */
  readonly nodes: NodesParts;
  readonly jobs: readonly Job[];
  /** Brings what the API wrote into effect here; false where the cluster's watch did not tell it in time. */
  inEffect(written: WrittenPolicy | null): Promise<boolean>;
  /** How both stand, for the health of the service. */
  health(): Pick<Health, 'webhook' | 'cluster'>;
  /** Begins to read the cluster, and listens. Gives the port of the webhook, or null where there is none. */
  start(): Promise<number | null>;
  /** Ends the webhook in order; to be called before the ledger is closed. Milliseconds. */
  close(graceMs: number): Promise<void>;
}

/** Rows of the ledger that are taken in at a time. */
const ROWS_AT_ONCE = 1000;
/** The API server learns of a pod that is not ready any more within so many milliseconds. */
const DRAIN_MS = 10_000;

/** openOperator joins them. Nothing listens or calls before `start`. */
export function openOperator(deps: OperatorDeps): ServiceOperator {
  const { store, settings, cluster, appender, clock, log, metrics, redactor } = deps;
  const { webhook, clusterName } = settings;
  const queue = scanQueue(store);
  const images = imageStore(store);
  // What was reviewed a moment ago becomes known, so that it need not be met once more to be looked at.
  const collect = async (digests: readonly string[]): Promise<{ readonly unknown: readonly string[] }> => {
    while (await images.follow(ROWS_AT_ONCE));
    await deps.collect(digests);
    return { unknown: [] };
  };
  const request = async (digests: readonly string[], at: number) => {
    await collect(digests);
    return queue.request(digests, null, at);
  };
  const scans = new WantedScans({ request, clock, log });
  const reconcile =
    cluster === null
      ? null
      : openReconcile({
          ...{ store, settings, cluster, appender, account: deps.replicas.account },
          ...{ scans, clock, log, count: metrics },
          tags: deps.tags ?? {
            digestOf: () => Promise.resolve({ digest: null, why: 'no registry is asked' }),
          },
        });
  const at = webhook.listen === undefined ? null : parseListen(webhook.listen);
  const admission =
    at === null
      ? null
      : openAdmission({
          ...{ store, ledger: appender, ...at, certificate: null, cluster: clusterName ?? null },
          ...{ coldImagePolicy: webhook.coldImagePolicy, failurePolicy: webhook.failurePolicy },
          known: knownCallers(webhook, cluster !== null),
          ...{ clock, timers, log, metrics },
          ...(cluster !== null && {
            policies: cluster.policies,
            exposure: exposureOf(cluster),
            events: cluster.reviewEvents,
            platformOf: (node: string) => cluster.reads.platformOf(node),
          }),
          ...(reconcile !== null && { names: reconcile.meter }),
          ...(deps.tags !== null && { lookup: deps.tags }),
          ...{ requestScans: request, collect },
        });
  if (at !== null && !isGuarded(knownCallers(webhook, cluster !== null)))
    log.warn('whoever reaches the port of the webhook can post reviews', {
      hint: 'Set webhook.callers.pathFile or webhook.callers.clientCaFile',
    });
  let certificateEndsAt: number | null = null;
  const certificates =
    admission === null
      ? []
      : webhookCertificates({
          settings: webhook.certificates,
          callerSettings: webhook.callers,
          callers: admission.callers,
          callersChanged: () => admission.callersChanged(),
          guard: (end) => redactor.add(new Secret(end)),
          cluster,
          replace: (pair) => admission.replaceCertificate(pair),
          clock,
          log,
          measure: (notAfter) => {
            metrics.set('svc_webhook_certificate_not_after_seconds', notAfter);
            certificateEndsAt = notAfter * 1000;
          },
        });
  metrics.collect(async () => {
    const gauges = await reconcile?.gauges().catch(() => null);
    if (gauges === null) return; // the database is away; what was said last stands
    const { count, ceiling, overageSeconds } = gauges ?? nodeGauges(null, null, clock.now());
    if (count !== null) metrics.set('svc_nodes', count, { kind: 'count' });
    metrics.set('svc_nodes', ceiling, { kind: 'ceiling' });
    metrics.set('svc_node_overage_seconds', overageSeconds);
    metrics.set('svc_leader', cluster === null || cluster.leader.isLeader() ? 1 : 0);
    for (const { kind, staleSince } of cluster?.reads.states() ?? [])
      metrics.set(
        'svc_cluster_cache_age_seconds',
        staleSince === null ? 0 : (clock.now() - staleSince) / 1000,
        { kind },
      );
  });
  const flush: Job = { name: 'wanted-scans', every: 5_000, leaderOnly: false, run: () => scans.flush() };
  return {
    sweep: reconcile === null ? null : () => reconcile.reconciliation.run(new AbortController().signal),
    nodes: {
      ...{ nodes: nodeStandings(store), meter: meterStore(store), clock },
      grace: graceOf(settings.nodes.graceDays),
    },
    jobs: [
      ...(cluster?.jobs ?? []),
      ...(reconcile === null ? [] : [...reconcile.jobs, flush]),
      ...(admission === null
        ? []
        : answeringJobs({
            ...{ store, cluster: clusterName ?? '', clock },
            answers: () => admission.health().unready === null,
          })),
      ...certificates,
    ],
    inEffect: async (written) => {
      await admission?.inEffect();
      return cluster === null || written === null || (await cluster.policyInEffect(written));
    },
    health: () => ({
      webhook: admission === null ? null : webhookHealth(admission.health(), certificateEndsAt),
      cluster:
        cluster === null ? null : clusterHealth(cluster, clusterName ?? null, deps.replicas.standings()),
    }),
    async start() {
      cluster?.start();
      await reconcile?.meter
        .refresh()
        .catch((error: unknown) =>
          log.warn('the meter was not read yet; no name is refused by it', { error }),
        );
      return (await admission?.listen())?.port ?? null;
    },
    async close(graceMs) {
      await admission?.close(cluster === null ? 0 : Math.min(DRAIN_MS, graceMs), graceMs);
      await endsWithin(scans.flush(), LAST_ASKED);
    },
  };
}

/** By what the API server is known: a path that its cluster or a file keeps, and a certificate where an authority is named. */
function knownCallers({ certificates, callers }: Settings['webhook'], isCluster: boolean) {
  const isKept =
    (callers.secret ?? certificates.secret) !== undefined &&
    (callers.configuration ?? certificates.configuration) !== undefined;
  return {
    path: callers.pathFile !== undefined || (isCluster && isKept),
    certificate: callers.clientCaFile !== undefined,
    names: callers.clientNames,
  };
}

function isGuarded({
  path,
  certificate,
}: {
  readonly path: boolean;
  readonly certificate: boolean;
}): boolean {
  return path || certificate;
}

function webhookHealth(
  { unready, reviews, policiesStaleSince, refused }: AdmissionHealth,
  certificateEndsAt: number | null,
): WebhookHealth {
  const message =
    unready ??
    (policiesStaleSince === null
      ? null
      : `the policies could not be brought up to date since ${formatTime(policiesStaleSince)}; those last known decide`);
  return {
    status: message === null ? 'ok' : 'degraded',
    ...{ reviews, certificateEndsAt, refused },
    ...(message !== null && { message }),
  };
}

function clusterHealth(
  { leadsCluster, reads, unready }: Cluster,
  name: string | null,
  replicas: readonly ReplicaStanding[],
): ClusterHealth {
  const states = reads.states().map(({ kind, staleSince }) => ({ kind, staleSince }));
  const message = unready() ?? heldMessage(replicas);
  const old = message !== null || states.some(({ staleSince }) => staleSince !== null);
  return {
    status: old ? 'degraded' : 'ok',
    ...{ name, leads: leadsCluster(), reads: states, replicas: replicas.map(toReplicaHealth) },
    ...(message !== null && { message }),
  };
}

function toReplicaHealth({ line, state }: ReplicaStanding): ClusterHealth['replicas'][number] {
  const since = mayHold(state) ? (line.holdingSince ?? line.cleanAt ?? line.startedAt) : null;
  return { name: line.name, state, since, rows: line.rows };
}

/** Why sweeps leave pods alone, or null. */
function heldMessage(replicas: readonly ReplicaStanding[]): string | null {
  const since = heldSince(replicas);
  if (since === null) return null;
  const names = replicas.filter(({ state }) => mayHold(state)).map(({ line }) => line.name);
  return `sweeps leave pods alone that were created since ${formatTime(since)}: ${names.join(', ')} may hold rows of their reviews (ipo cluster replicas)`;
}

/** What exposes pods, as far as the cluster has been read; once read it stays so. */
function exposureOf(cluster: Cluster): ExposureIndex {
  let read = false;
  return {
    of: (namespace, labels) => cluster.reads.exposure.of(namespace, labels),
    unready: () => {
      const why = read ? null : cluster.unready();
      read ||= why === null;
      return why;
    },
    staleSince: () => {
      const since = cluster.reads
        .states()
        .flatMap(({ kind, staleSince }) =>
          (kind === 'services' || kind === 'ingresses') && staleSince !== null ? [staleSince] : [],
        );
      return since.length === 0 ? null : Math.min(...since);
    },
  };
}
