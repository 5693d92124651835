/** Reports of the scanner Trivy, read into scan records. */
export { MAX_REPORT_BYTES, parseTrivyReport, type TrivyReport } from './report.ts';
export { ReportError } from './report-error.ts';
