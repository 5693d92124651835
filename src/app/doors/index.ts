/**
 * What the command line does on a database or a report without a service.
 * It uses `config`, `doctor`, `programs`, `running`, `scanning` and `trackers`.
 */
export { acceptClockOf } from './accept-clock.ts';
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
export { decompressed, openBytes, openLedgerDatabase, writeLong } from './ledger-database.ts';
export { openMailDoor, type MailDoor } from './mail-door.ts';
export { putBack, type PutBack } from './put-back.ts';
export { openClusterLists, readReports, toReports, type ListedResource } from './record-door.ts';
export {
  describeScans,
  openScanDatabase,
  readReportText,
  readTrivyDatabase,
  type DescribedScans,
  type ImportTarget,
} from './scan-door.ts';
export { openTrackerDoor } from './tracker-door.ts';
export type { TrackerDoor } from './tracker-reads.ts';
