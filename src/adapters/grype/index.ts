/** Reports of the scanner Grype, read into scan records, and running it. */
export { isGrypeReport, parseGrypeReport, toGrypeScanReport } from './report.ts';
export { openGrype, type GrypeOptions } from './run.ts';
