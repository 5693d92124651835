/**
 * What a replay and its report read, and the runs that are kept.
 * It uses `cells`, `images`, `ledger`, `scans`, `sql` and `tables`.
 */
export { reportSource } from './report-source.ts';
export { runStore } from './runs.ts';
export { replaySource } from './source.ts';
