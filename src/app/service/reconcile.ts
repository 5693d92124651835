import type { Appender } from '../../ledger/index.ts';
import type { DigestLookup, PolicySnapshot, ScanRequests } from '../../admission/index.ts';
import { IpoError, type Clock, type Count, type Log } from '../../base/index.ts';
import type { Ceilings } from '../../licence/index.ts';
import { graceOf, Meter, nodeGauges, NodePoll, type NodeGauges } from '../../nodes/index.ts';
import { namesOf, Reconciliation, selects, type SweepAccount } from '../../reconcile/index.ts';
import {
  fenceWrites,
  installedAt,
  lastSweepAt,
  meterStore,
  nodeStore,
  podLedger,
  pulledIndexes,
  sweepFacts,
  storedCeilings,
  sweepLog,
  type Store,
} from '../../store/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Job } from '../running/jobs.ts';
import type { Settings } from '../config/settings.ts';

/** ReconcileOptions are what reconciliation, nodes and meter of a cluster are joined with. */
export interface ReconcileOptions {
  /** As it was opened: these writes carry the fence of their own cluster. */
  readonly store: Store;
  readonly settings: Settings;
  readonly cluster: Pick<
    Cluster,
    'namespace' | 'leadsCluster' | 'leader' | 'policies' | 'reads' | 'replacements' | 'stopper' | 'podEvents'
  >;
  readonly appender: Appender;
  /** Whether every row of every replica is in the database. */
  readonly account: SweepAccount;
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
  const { store, settings, cluster, appender, clock, log, count } = options;
  const name = settings.clusterName ?? '';
  const { ceilings = storedCeilings(store, name) } = options;
  const leader = { isLeader: () => cluster.leadsCluster(), fence: () => cluster.leader.fence() };
  const pods = cluster.reads.runningPods;
  const standings = nodeStore(store);
  const meter = new Meter({
    cluster: name,
    // The one job here that concerns the database, not the cluster.
    meter: meterStore(fenceWrites(store)),
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
      leftOut: settings.webhook.excludedNamespaces,
      selected: (namespace) =>
        selects(settings.webhook.namespaceSelector, cluster.reads.namespaceLabels(namespace) ?? {}),
      allowEnforce: settings.reconcile.allowEnforce,
      maxStops: settings.runtime.maxStops,
    },
    coldImagePolicy: settings.webhook.coldImagePolicy,
    pods,
    exposure: cluster.reads.exposure,
    // Those that the webhook of this cluster asks: the database may have those of another one, and has them a moment later.
    policies: async () => currentOf(cluster.policies),
    facts: sweepFacts(store),
    indexes: pulledIndexes(store),
    podLedger: podLedger(store),
    ledger: appender,
    account: options.account,
    installedAt: () => installedAt(store, name),
    log: sweepLog(store),
    replacements: cluster.replacements,
    stopper: cluster.stopper,
    tags: { digestOf: async (image, signal) => (await options.tags.digestOf(image, signal)).digest },
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
    jobs: reconcileJobs(options, { name, leader, meter, reconciliation, nodes }),
    async gauges() {
      const { nodes: ceiling } = await ceilings.current();
      return nodeGauges(await standings.standing(name), ceiling, clock.now());
    },
  };
}

/** What the jobs run. */
interface ReconcileParts {
  readonly name: string;
  readonly leader: { isLeader(): boolean };
  readonly meter: Meter;
  readonly reconciliation: Reconciliation;
  readonly nodes: NodePoll;
}

/** They ask by themselves who leads their cluster: `leaderOnly` is about the database. */
function reconcileJobs(
  { store, settings, cluster, clock }: ReconcileOptions,
  { name, leader, meter, reconciliation, nodes }: ReconcileParts,
): readonly Job[] {
  let leftOver = false;
  return [
    {
      name: 'reconcile',
      // The last sweep may have been another replica's, or of before a restart: the interval is counted from it.
      every: Math.min(settings.reconcile.interval, MINUTE),
      leaderOnly: false,
      atStart: true,
      // The first one waits until the cluster was read.
      mayRun: () => leader.isLeader() && cluster.reads.states().every(({ synced }) => synced),
      run: async (signal) => {
        const last = await lastSweepAt(store, name);
        // Jobs begin a moment late, never early: half of one's interval is not a sweep too many. One of the future is not a reason to
        // wait: the clock was set back.
        const since = last === null ? Infinity : clock.now() - last;
        // What one sweep left since too many pods were stopped within a minute is not left for an hour.
        const interval = leftOver ? MINUTE : settings.reconcile.interval;
        if (since >= 0 && since < interval - MINUTE / 2) return;
        leftOver = ((await reconciliation.run(signal))?.overLimit ?? 0) > 0;
      },
    },
    {
      name: 'nodes',
      every: settings.nodes.pollInterval,
      leaderOnly: false,
      atStart: true,
      mayRun: leader.isLeader,
      run: async () => {
        await nodes.run();
        await meter.refreshStanding();
      },
    },
    { name: 'meter', every: MINUTE, leaderOnly: true, run: (signal) => meter.follow(signal) },
    { name: 'node-standing', every: 1_000, leaderOnly: false, run: () => meter.refreshStanding() },
    { name: 'meter-memory', every: MINUTE / 4, leaderOnly: false, run: () => meter.refresh() },
  ];
}

function currentOf(policies: PolicySnapshot): NonNullable<ReturnType<PolicySnapshot['current']>> {
  const current = policies.current();
  if (current !== null) return current;
  throw new IpoError('unavailable', 'the policies of the cluster were not read yet');
}
