/**
 * Findings as they are kept, their totals and advisories, and their history as it is written.
 * It uses `outbox` and `sql`.
 */
export { kevDueDates } from './kev-entries.ts';
export { tellTriageRanOut } from './tell-triage.ts';
