/**
 * Scans of images: what a report says of which digest, how it is recorded, and the queue of digests that wait for a scan.
 * It uses `image` and `findings`.
 */
export { CLAIM_MS, LONGEST_WAIT, MAX_ATTEMPTS, MAX_SCAN_DIGESTS, retryAt } from './back-off.ts';
export { describeReports, importReports, type DescribedScan } from './import.service.ts';
export { IMAGE_TYPE, nameType, planImport, type ImportTarget } from './plan-import.ts';
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
export { ScanError } from './scan-error.ts';
export type { ScanReport } from './scan-report.ts';
export { Rescans } from './rescans.service.ts';
export { ScanGate } from './scan-gate.ts';
export { ScannerError } from './scanner-error.ts';
export type {
  DatabaseState,
  ImageChoice,
  RescanStore,
  Scanner,
  ScanOrder,
  ScanSubjects,
  VulnerabilityDatabaseState,
  VulnerabilityDatabaseStore,
} from './scanner-ports.ts';
export { VulnerabilityDatabase, type DatabaseRefresh } from './vulnerability-database.service.ts';
export { ScanWorker } from './worker.service.ts';
export type { ScanWorkerDeps } from './worker-ports.ts';
export { takeReports } from './watched-reports.service.ts';
