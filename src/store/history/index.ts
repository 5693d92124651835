/**
 * What evidence is made of later: runs, days of a cluster, what stood when, and for how long it is kept.
 * It uses `findings`, `scans` and `sql`.
 */
export { recordSweep, type ClusterSweep } from './cluster-sweeps.ts';
export { historyReader } from './read.ts';
export { answeredMinutes, beginHistory, recordDetector } from './records.ts';
export { retentionTimes } from './retention-times.ts';
export { pruneHistory } from './retention.ts';
export { runningImages } from './tracking-running.ts';
