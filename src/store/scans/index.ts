/**
 * Scans: reports as they are recorded, the queue, failures, rescans, triage, and proofs that were collected.
 * It uses `engine`, `facts`, `findings` and `sql`.
 */
export { collectionStore } from './collected-facts.ts';
export { countFailing, failuresToTell } from './failures.ts';
export { importFacts } from './import-facts.ts';
export { pulledIndexes } from './pulled-indexes.ts';
export { scanQueue } from './queue.ts';
export { pruneFailures, pruneScans, rescanStore } from './rescans.ts';
export { recordNames, recordProofs, recordScan, scanStore } from './scans.ts';
export { settlePlatforms } from './settle-platforms.ts';
export { dropLeftStaged } from './staged-findings.ts';
export { forgiveAttempt, scanSubjects } from './subjects.ts';
export { scanTimes } from './times.ts';
export { triageStore } from './triage.ts';
export { vulnerabilityDatabaseStore } from './vulnerability-db.ts';
