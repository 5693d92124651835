/**
 * What is known of a cluster: licence, nodes, replicas, the meter, and sweeps over running pods.
 * It uses `cells`, `history`, `leadership`, `ledger`, `outbox`, `sql` and `tables`.
 */
export { licenceStore, storedCeilings } from './licences.ts';
export { meterStore } from './meter.ts';
export { nodeStandings, nodeStore } from './nodes.ts';
export { podStopLog } from './pod-stops.ts';
export { podLedger } from './reconcile-ledger.ts';
export { installedAt, lastSweepAt, sweepFacts, sweepLog } from './reconcile-sweeps.ts';
export { replicaLife, replicaStore } from './replicas.ts';
