import { isGrypeReport, toGrypeScanReport } from '../../adapters/grype/index.ts';
import { parseJson, readScanReports } from '../../adapters/trivy/index.ts';
import type { ReportReader, ScanReport } from '../../scan/index.ts';

/** readReports reads what any scanner that is known here wrote. Throws ReportError and GrypeError. */
export const readReports: ReportReader = (value, file) =>
  isGrypeReport(value) ? [toGrypeScanReport(value, file)] : readScanReports(value, file);

/** parseReports reads the text of the same. */
export function parseReports(text: string, file: string): readonly ScanReport[] {
  return readReports(parseJson(text, file), file);
}
