/**
 * What the command line does on a database or a report without a service.
 * It uses `config`, `doctor`, `programs`, `running`, `scanning` and `trackers`.
 */
export { acceptClockOf, type AcceptedClock } from './accept-clock.ts';
export { issuePasswordCode } from './account-database.ts';
export { buildCli, type CliParts } from './build.ts';
export { examineCluster, examineData } from './doctor-door.ts';
export {
  migrateDatabase,
  planDatabase,
  readStoredDocuments,
  type MigrationPlan,
  type PlannedMigration,
  type StoredDocuments,
} from './database.ts';
export { runHashWorker } from './hash-worker.ts';
export {
  decompressed,
  openBytes,
  openLedgerDatabase,
  writeLong,
  type LedgerDatabase,
} from './ledger-database.ts';
export { openMailDoor, type MailAnswer, type MailDoor } from './mail-door.ts';
export { putBack, type PutBack } from './put-back.ts';
export {
  openClusterLists,
  readReports,
  toReports,
  type ClusterLists,
  type ListedResource,
} from './record-door.ts';
export {
  describeScans,
  openScanDatabase,
  readReportText,
  readTrivyDatabase,
  type DescribedScans,
  type ImportTarget,
  type ScanDatabase,
} from './scan-door.ts';
export { openTrackerDoor } from './tracker-door.ts';
export type { TrackerDoor, TrackerDoorOptions } from './tracker-reads.ts';
export { runVerifyWorker } from './verify-door.ts';
