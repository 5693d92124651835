/**
 * What trackers are told: claims, issues, comments and closings, all under the leader's fence.
 * It uses `findings`, `leadership`, `scans` and `sql`.
 */
export { continuationStore } from './continuations.ts';
export { filingStore } from './filing.ts';
export { trackingHistory } from './history.ts';
export { issueFacts } from './issue-facts.ts';
export { sweepStore } from './sweep.ts';
