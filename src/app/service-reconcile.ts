import type { Appender } from '../ledger/index.ts';
import type { DigestLookup, ScanRequests } from '../admission/index.ts';
import type { Clock, Count, Log } from '../base/index.ts';
import type { PoliciesInForce } from '../inventory/index.ts';
import { withoutCertificate, type Ceilings } from '../licence/index.ts';
import { graceOf, Meter, nodeGauges, NodePoll, type NodeGauges } from '../nodes/index.ts';
import { namesOf, Reconciliation } from '../reconcile/index.ts';
import {
  installedAt,
  meterStore,
  nodeStore,
  podLedger,
  sweepFacts,
  sweepLog,
  type Store,
} from '../store/index.ts';
import type { Cluster } from './cluster.ts';
import type { Job } from './jobs.ts';
import type { Settings } from './settings.ts';

/** ReconcileOptions are what reconciliation, nodes and meter of a cluster are joined with. */
export interface ReconcileOptions {
  /** As it was opened: these writes carry the fence of their own cluster. */
  readonly store: Store;
  readonly settings: Settings;
  readonly cluster: Pick<
    Cluster,
    'namespace' | 'leadsCluster' | 'leader' | 'reads' | 'replacements' | 'stopper' | 'podEvents'
  >;
  readonly policies: () => Promise<PoliciesInForce>;
  readonly appender: Appender;
  readonly scans: ScanRequests;
  readonly tags: DigestLookup;
  readonly ceilings?: Ceilings;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

/** ServiceReconcile is the reconciliation of a cluster, its nodes and its meter. */
export interface ServiceReconcile {
  /** The webhook's `NameGate`. */
  readonly meter: Meter;
  readonly reconciliation: Reconciliation;
  readonly nodes: NodePoll;
  readonly jobs: readonly Job[];
  /** What `svc_nodes` and `svc_node_overage_seconds` say now. */
  gauges(): Promise<NodeGauges>;
}

const MINUTE = 60_000;

/** openReconcile joins them. Before the webhook answers, `meter.refresh()` is run once. */
export function openReconcile(options: ReconcileOptions): ServiceReconcile {
  const { store, settings, cluster, policies, appender, clock, log, count } = options;
  const { ceilings = withoutCertificate } = options;
  const name = settings.clusterName ?? '';
  const leader = { isLeader: () => cluster.leadsCluster(), fence: () => cluster.leader.fence() };
  const pods = cluster.reads.runningPods;
  const standings = nodeStore(store);
  const meter = new Meter({
    cluster: name,
    meter: meterStore(store),
    nodes: standings,
    ceilings,
    running: { names: async () => namesOf((await pods.list()).pods) },
    clock,
    log,
  });
  const reconciliation = new Reconciliation({
    rules: {
      cluster: name,
      ownNamespace: cluster.namespace,
      leftOut: [],
      allowEnforce: settings.reconcile.allowEnforce,
    },
    coldImagePolicy: settings.webhook.coldImagePolicy,
    pods,
    exposure: cluster.reads.exposure,
    policies: async () => (await policies()).policies,
    facts: sweepFacts(store),
    podLedger: podLedger(store),
    ledger: appender,
    settled: () => !appender.delayed,
    installedAt: () => installedAt(store),
    log: sweepLog(store),
    replacements: cluster.replacements,
    stopper: cluster.stopper,
    tags: options.tags,
    names: meter,
    scans: options.scans,
    events: cluster.podEvents,
    leader,
    clock,
    lines: log,
    count,
  });
  const nodes = new NodePoll({
    cluster: name,
    nodes: cluster.reads.readyNodes,
    ceilings,
    store: standings,
    leader,
    grace: graceOf(settings.nodes.graceDays),
    clock,
    log,
    count,
  });
  return {
    meter,
    reconciliation,
    nodes,
    // They ask by themselves who leads their cluster: `leaderOnly` is about the database.
    jobs: [
      {
        name: 'reconcile',
        every: settings.reconcile.interval,
        leaderOnly: false,
        run: async (signal) => void (await reconciliation.run(signal)),
      },
      {
        name: 'nodes',
        every: settings.nodes.pollInterval,
        leaderOnly: false,
        atStart: true,
        run: async () => void (await nodes.run()),
      },
      { name: 'meter', every: MINUTE, leaderOnly: true, run: (signal) => meter.follow(signal) },
      { name: 'meter-memory', every: MINUTE / 4, leaderOnly: false, run: () => meter.refresh() },
    ],
    async gauges() {
      const { nodes: ceiling } = await ceilings.current();
      return nodeGauges(await standings.standing(name), ceiling, clock.now());
    },
  };
}
