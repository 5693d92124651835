/**
 * Scans of images: what a report says of which digest, how it is recorded, and the queue of digests that wait for a scan.
 * It uses `image` and `findings`.
 */
export { CLAIM_MS, LONGEST_WAIT, MAX_ATTEMPTS, MAX_SCAN_DIGESTS, retryAt } from './back-off.ts';
export {
  describeReports,
  importReports,
  type DescribedScan,
  type ImportedScan,
  type ImportParts,
} from './import.service.ts';
export { IMAGE_TYPE, nameType, planImport, type ImportTarget, type PlannedScan } from './plan-import.ts';
export type {
  NewScan,
  NewScanFailure,
  Recorded,
  ReportReader,
  ScanClaim,
  ScanQueue,
  ScanRequests,
  ScanStore,
} from './ports.ts';
export { failureSentence } from './failure-sentence.ts';
export { ScanError } from './scan-error.ts';
export type { ScanReport } from './scan-report.ts';
export { Rescans, type RescansDeps } from './rescans.service.ts';
export { ScanGate } from './scan-gate.ts';
export { ScannerError, type ScannerFault } from './scanner-error.ts';
export type {
  ChosenImage,
  DatabaseState,
  ImageChoice,
  RescanQuestion,
  RescanStore,
  Scanner,
  ScanOrder,
  ScanSubjects,
  VulnerabilityDatabaseState,
  VulnerabilityDatabaseStore,
} from './scanner-ports.ts';
export { VulnerabilityDatabase, type DatabaseRefresh } from './vulnerability-database.service.ts';
export { ScanWorker } from './worker.service.ts';
export type { ScanOutcome, ScanWorkerDeps } from './worker-ports.ts';
export {
  takeReports,
  type ReportFeed,
  type WatchedContainer,
  type WatchedCounts,
  type WatchedReport,
  type WatchedReportsDeps,
} from './watched-reports.service.ts';
