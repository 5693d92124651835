import type { Clock } from '../../base/index.ts';
import type { ImportTarget } from '../../scan/index.ts';
import type { CliParts } from './build.ts';
import type { DescribedScans, ScanDatabase } from '../scanning/import.ts';

export type { DescribedScans, ScanDatabase } from '../scanning/import.ts';
export type { ImportTarget } from '../../scan/index.ts';

/** What Trivy says of its version has some hundred bytes. */
const MAX_VERSION_BYTES = 65_536;

/** readReportText reads the file of a report, 64 MiB at most; `-` is stdin. Throws FileError. */
export async function readReportText(path: string, parts: Pick<CliParts, 'readText'>): Promise<string> {
  const { MAX_REPORT_BYTES } = await import('../../adapters/trivy/index.ts');
  return parts.readText(path, MAX_REPORT_BYTES);
}

/**
 * readTrivyDatabase reads a file with what `trivy version --format json` wrote, and gives when its vulnerability database was made (RFC 3339).
 * Throws FileError, and ReportError for a file that does not say it.
 */
export async function readTrivyDatabase(path: string, parts: Pick<CliParts, 'readText'>): Promise<string> {
  const { parseTrivyDatabase } = await import('../../adapters/trivy/index.ts');
  return parseTrivyDatabase(await parts.readText(path, MAX_VERSION_BYTES), path);
}

/** describeScans reads the text of a report and tells what it says of which image; see scan-import.ts. */
export async function describeScans(
  text: string,
  file: string,
  target: ImportTarget,
  clock: Clock,
  toRecord = false,
): Promise<DescribedScans> {
  return (await import('../scanning/import.ts')).describeScans(text, file, target, clock, toRecord);
}

/** openScanDatabase opens a database that reports are imported into. Throws StoreError. */
export async function openScanDatabase(url: string, clock: Clock): Promise<ScanDatabase> {
  return (await import('../scanning/import.ts')).openScanDatabase(url, clock);
}
