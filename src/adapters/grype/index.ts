/**
 * Reports of the scanner Grype, read into scan records, and running it.
 * It uses `program`.
 */
export { isGrypeReport, parseGrypeReport, toGrypeScanReport } from './report.ts';
export { openGrype } from './run.ts';
