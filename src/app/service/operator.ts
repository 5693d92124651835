import { WantedScans, type DigestLookup } from '../../admission/index.ts';
import type { ClusterHealth, Health, NodesParts, WebhookHealth, WrittenPolicy } from '../../api/index.ts';
import { formatTime, Secret, type Clock, type Digest, type Log } from '../../base/index.ts';
import type { Appender } from '../../ledger/index.ts';
import { graceOf, nodeGauges } from '../../nodes/index.ts';
import { namesOf, type SweepResult } from '../../reconcile/index.ts';
import { mayHold, type ReplicaStanding } from '../../replicas/index.ts';
import { imageStore, meterStore, nodeStandings, scanQueue, type Store } from '../../store/index.ts';
import type { Metrics, Redactor } from '../../telemetry/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Job } from '../running/jobs.ts';
import { openReconcile, type ReconcileOptions, type ServiceReconcile } from './reconcile.ts';
import { heldSince, openReplicas, type ServiceReplicas } from './replicas.ts';
import type { ServiceParts } from './parts.ts';
import type { Settings } from '../config/settings.ts';
import { endsWithin, timers } from '../running/timers.ts';
import { webhookCertificates } from '../cluster/webhook-certificates.ts';
import type { ReviewsStatus } from '../webhook/acts.ts';
import { LAST_ASKED } from '../webhook/admission.ts';
import { isGuarded, knownCallers } from '../webhook/known-callers.ts';
import { WebhookPeer } from '../webhook/webhook-peer.ts';
import type { Link } from '../processes/link.ts';

/** OperatorDeps are what the webhook of a service, and its work in its cluster, are joined with. */
export interface OperatorDeps {
  readonly parts: Pick<ServiceParts, 'audit' | 'together'>;
  /** As it was opened: these writes carry the fence of their own cluster. */
  readonly store: Store;
  readonly settings: Settings;
  /** Null outside a cluster. */
  readonly cluster: Cluster | null;
  /** Takes rows of sweeps. */
  readonly appender: Appender;
  /** To the webhook's part. */
  readonly link: Link;
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
  /** Judges what runs again, now; null outside a cluster. */
  readonly sweep: (() => Promise<SweepResult | null>) | null;
  /** What the routes of nodes are asked of. */
  readonly nodes: NodesParts;
  readonly jobs: readonly Job[];
  /** Brings what the API wrote into effect here; false where the cluster's watch did not tell it in time. */
  inEffect(written: WrittenPolicy | null): Promise<boolean>;
  /** How both stand, for the health of the service. */
  health(): Promise<Pick<Health, 'webhook' | 'cluster'>>;
  /** The webhook's part. */
  readonly peer: WebhookPeer;
  readonly replicas: ServiceReplicas;
  /** Begins to read the cluster. */
  start(): Promise<void>;
  /** To be called once the webhook's part has ended, before the ledger is closed. */
  close(): Promise<void>;
}

/** So long the certificate is waited for at the start, in milliseconds. */
const CERTIFICATE_MS = 500;
/** Rows of the ledger that are taken in at a time. */
const ROWS_AT_ONCE = 1000;
/** What is said of the webhook while its part is away. */
const AWAY_REVIEWS: ReviewsStatus = {
  unready: 'the process of the webhook is being started again',
  reviews: 0,
  answered: 0,
  policiesStaleSince: null,
  refused: { calls: 0, lastAt: null },
};

/** openOperator joins them. Nothing listens or calls before `start`. */
export function openOperator(deps: OperatorDeps): ServiceOperator {
  const { store, settings, cluster, clock, log, metrics } = deps;
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
  const known = knownCallers(webhook, cluster !== null);
  const listens = webhook.listen !== undefined;
  const peer: WebhookPeer = new WebhookPeer({
    link: deps.link,
    cluster,
    tags: deps.tags,
    timers,
    log,
    metrics,
    requestScans: request,
    collect,
    runningNames: async () => namesOf((await cluster?.reads.runningPods.list())?.pods ?? []),
  });
  const replicas = openReplicas({ store, parts: deps.parts, settings, cluster, peer, clock, metrics });
  const reconcile = cluster === null ? null : openSweeps(deps, cluster, replicas.account, scans);
  if (listens && !isGuarded(known))
    log.warn('anyone who can reach the port of the webhook can post reviews', {
      hint: 'Set webhook.callers.pathFile or webhook.callers.clientCaFile',
    });
  const certificates = openCertificates(deps, peer);
  metrics.collect(() => measure(deps, reconcile));
  const flush: Job = { name: 'wanted-scans', every: 5_000, leaderOnly: false, run: () => scans.flush() };
  return {
    peer,
    replicas,
    sweep: reconcile === null ? null : () => reconcile.reconciliation.run(new AbortController().signal),
    nodes: {
      nodes: nodeStandings(store),
      meter: meterStore(store),
      clock,
      grace: graceOf(settings.nodes.graceDays),
    },
    jobs: [
      ...(cluster?.jobs ?? []),
      ...(reconcile === null ? [] : [...reconcile.jobs, flush]),
      ...certificates.jobs,
    ],
    inEffect: async (written) => {
      const here = cluster === null || written === null || (await cluster.policyInEffect(written));
      if (listens) await peer.inEffect();
      return here;
    },
    health: async () => {
      const status = await peer.look();
      return {
        webhook: listens ? webhookHealth(status?.reviews ?? AWAY_REVIEWS, certificates.endAt()) : null,
        cluster: cluster === null ? null : clusterHealth(cluster, clusterName ?? null, replicas.standings()),
      };
    },
    start: () => start(deps, certificates.jobs, reconcile),
    async close() {
      peer.close();
      await endsWithin(scans.flush(), LAST_ASKED);
    },
  };
}

function openSweeps(
  { store, settings, appender, tags, clock, log, metrics }: OperatorDeps,
  cluster: Cluster,
  account: ReconcileOptions['account'],
  scans: WantedScans,
): ServiceReconcile {
  return openReconcile({
    store,
    settings,
    cluster,
    appender,
    account,
    scans,
    clock,
    log,
    count: metrics,
    tags: tags ?? {
      digestOf: () => Promise.resolve({ digest: null, why: 'without --registry no registry is asked' }),
    },
  });
}

/** The certificate of the webhook, and when it ends; nothing to do where no webhook listens. */
function openCertificates(
  { settings: { webhook }, cluster, clock, log, metrics, redactor }: OperatorDeps,
  peer: WebhookPeer,
): { readonly jobs: readonly Job[]; readonly endAt: () => number | null } {
  let endsAt: number | null = null;
  if (webhook.listen === undefined) return { jobs: [], endAt: () => endsAt };
  const jobs = webhookCertificates({
    settings: webhook.certificates,
    callerSettings: webhook.callers,
    callers: peer.callers,
    callersChanged: () => {},
    guard: (end) => redactor.add(new Secret(end)),
    cluster,
    replace: (pair) => peer.replaceCertificate(pair),
    clock,
    log,
    measure: (notAfter) => {
      metrics.set('svc_webhook_certificate_not_after_seconds', notAfter);
      endsAt = notAfter * 1000;
    },
  });
  return { jobs, endAt: () => endsAt };
}

async function measure(
  { cluster, clock, metrics }: OperatorDeps,
  reconcile: ServiceReconcile | null,
): Promise<void> {
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
}

async function start(
  { cluster, log }: OperatorDeps,
  certificates: readonly Job[],
  reconcile: ServiceReconcile | null,
): Promise<void> {
  cluster?.start();
  // Before all the other jobs begin: the webhook is ready with its certificate. What fails is said when the jobs try it again.
  for (const { name, run } of certificates)
    if (name === 'webhook-certificate')
      await endsWithin(run(new AbortController().signal), CERTIFICATE_MS).catch(() => false);
  await reconcile?.meter
    .refresh()
    .catch((error: unknown) =>
      log.warn('the licence meter was not read yet; it denies no image name', { error }),
    );
}

function webhookHealth(
  { unready, reviews, policiesStaleSince, refused }: ReviewsStatus,
  certificateEndsAt: number | null,
): WebhookHealth {
  const message =
    unready ??
    (policiesStaleSince === null
      ? null
      : `the policies could not be brought up to date since ${formatTime(policiesStaleSince)}; those last known decide`);
  return {
    status: message === null ? 'ok' : 'degraded',
    reviews,
    certificateEndsAt,
    refused,
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
    name,
    leads: leadsCluster(),
    reads: states,
    replicas: replicas.map(toReplicaHealth),
    ...(message !== null && { message }),
  };
}

function toReplicaHealth({ line, state }: ReplicaStanding): ClusterHealth['replicas'][number] {
  const since = mayHold(state) ? (line.holdingSince ?? line.cleanAt ?? line.startedAt) : null;
  return { name: line.name, state, since, rows: line.rows };
}

/** Why sweeps skip pods, or null. */
function heldMessage(replicas: readonly ReplicaStanding[]): string | null {
  const since = heldSince(replicas);
  if (since === null) return null;
  const names = replicas.filter(({ state }) => mayHold(state)).map(({ line }) => line.name);
  return `sweeps skip pods that were created since ${formatTime(since)}: ${names.join(', ')} may hold rows of their reviews (ipo cluster replicas)`;
}
