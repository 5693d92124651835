import { WantedScans } from '../admission/index.ts';
import type { Clock, Log } from '../base/index.ts';
import type { PoliciesInForce } from '../inventory/index.ts';
import type { Appender } from '../ledger/index.ts';
import { nodeGauges } from '../nodes/index.ts';
import { scanQueue, type Store } from '../store/index.ts';
import type { Metrics } from '../telemetry/index.ts';
import type { Cluster } from './cluster.ts';
import type { Job } from './jobs.ts';
import { openAdmission } from './service-admission.ts';
import { openReconcile } from './service-reconcile.ts';
import { parseListen, type Settings } from './settings.ts';
import { timers } from './timers.ts';
import { webhookCertificates } from './webhook-certificates.ts';

/** OperatorDeps are what the webhook of a service, and its work in its cluster, are joined with. */
export interface OperatorDeps {
  /** As it was opened: these writes carry the fence of their own cluster. */
  readonly store: Store;
  readonly settings: Settings;
  /** Null where the service stands alone. */
  readonly cluster: Cluster | null;
  readonly appender: Appender;
  readonly policies: () => Promise<PoliciesInForce>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** ServiceOperator is what a service does beside answering its API: its webhook, and the work in its cluster. */
export interface ServiceOperator {
  readonly jobs: readonly Job[];
  /** Begins to read the cluster, and listens. Gives the port of the webhook, or null where there is none. */
  start(): Promise<number | null>;
  /** Ends the webhook in order; to be called before the ledger is closed. Milliseconds. */
  close(graceMs: number): Promise<void>;
}

/** The API server learns of a pod that is not ready any more within so many milliseconds. */
const DRAIN_MS = 10_000;

/** openOperator joins them. Nothing listens or calls before `start`. */
export function openOperator(deps: OperatorDeps): ServiceOperator {
  const { store, settings, cluster, appender, policies, clock, log, metrics } = deps;
  const { webhook, clusterName } = settings;
  const queue = scanQueue(store);
  const scans = new WantedScans({ request: (digests, at) => queue.request(digests, null, at), clock, log });
  const reconcile =
    cluster === null
      ? null
      : openReconcile({
          ...{ store, settings, cluster, policies, appender, scans, clock, log, count: metrics },
          // Which digest a tag names is asked of registries, which come with the facts of images.
          tags: { digestOf: () => Promise.resolve(null) },
        });
  const at = webhook.listen === undefined ? null : parseListen(webhook.listen);
  const admission =
    at === null
      ? null
      : openAdmission({
          ...{ store, ledger: appender, ...at, certificate: null, cluster: clusterName ?? null },
          ...{ coldImagePolicy: webhook.coldImagePolicy, failurePolicy: webhook.failurePolicy },
          ...{ clock, timers, log, metrics },
          ...(cluster !== null && {
            policies: cluster.policies,
            exposure: cluster.reads.exposure,
            events: cluster.reviewEvents,
          }),
          ...(reconcile !== null && { names: reconcile.meter }),
        });
  const certificates =
    admission === null
      ? []
      : webhookCertificates({
          settings: webhook.certificates,
          cluster,
          replace: (pair) => admission.replaceCertificate(pair),
          clock,
          log,
          measure: (notAfter) => metrics.set('svc_webhook_certificate_not_after_seconds', notAfter),
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
    jobs: [
      ...(cluster?.jobs ?? []),
      ...(reconcile === null ? [] : [...reconcile.jobs, flush]),
      ...certificates,
    ],
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
      await scans.flush();
    },
  };
}
