/**
 * What a scan found in an image: severities, findings, scan records, and when a triage decision covers one.
 * It uses `image`.
 */
export { SEVERITIES, severityRank, type Severity } from './severity.ts';
export { countBySeverity, SEVERITY_NAMES, type SeverityCounts } from './counts.ts';
export { toSystemPackageUrl } from './package-url.ts';
export {
  isTriaged,
  type Finding,
  type OperatingSystem,
  type ScannerInfo,
  type ScannedPlatform,
  type ScanRecord,
} from './scan-record.ts';
export {
  advisoryUrl,
  MAX_RATINGS,
  toAdvisory,
  toFoundAt,
  type Advisory,
  type Cvss,
  type FoundAt,
  type RatedBy,
} from './advisory.ts';
export { isUnscanned, missingPlatforms, scanOn } from './platforms.ts';
export {
  explainScanFailure,
  SCAN_FAILURE_REASONS,
  SCAN_FAILURE_STATES,
  SCAN_FAILURES,
  type ScanFailure,
  type ScanFailureReason,
} from './scan-failure.ts';
