/** What a scan found in an image: severities, findings, scan records, and when a triage decision covers one. */
export { severityRank, type Severity } from './severity.ts';
export { isTriaged, type Finding, type ScanRecord } from './scan-record.ts';
