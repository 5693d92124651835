/**
 * Reports of the scanner Trivy, of the program and of its operator, read into scan records.
 * It uses `program` and `transport`.
 */
export { MAX_REPORT_BYTES, parseTrivyReport } from './report.ts';
export { ReportError } from './report-error.ts';
export type { ScanReport as TrivyReport } from '../../scan/index.ts';
export { parseScanReports, readScanReports } from './scan-reports.ts';
export { parseTrivyDatabase } from './run-version.ts';
export { openTrivy } from './run.ts';
export { parseJson } from './not-a-report.ts';
