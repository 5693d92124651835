import type { Clock } from '../base/index.ts';
import type { ImportTarget } from '../scan/index.ts';
import type { CliParts } from './build.ts';
import type { DescribedScans, ScanDatabase } from './scan-import.ts';

export type { DescribedScans, ScanDatabase } from './scan-import.ts';

/** readReportText reads the file of a report, 64 MiB at most; `-` is stdin. Throws FileError. */
export async function readReportText(path: string, parts: Pick<CliParts, 'readText'>): Promise<string> {
  const { MAX_REPORT_BYTES } = await import('../adapters/trivy/index.ts');
  return parts.readText(path, MAX_REPORT_BYTES);
}

/** describeScans reads the text of a report and tells what it says of which image; see scan-import.ts. */
export async function describeScans(
  text: string,
  file: string,
  target: ImportTarget,
  clock: Clock,
  toRecord = false,
): Promise<DescribedScans> {
  return (await import('./scan-import.ts')).describeScans(text, file, target, clock, toRecord);
}

/** openScanDatabase opens a database that reports are imported into. Throws StoreError. */
export async function openScanDatabase(url: string, clock: Clock): Promise<ScanDatabase> {
  return (await import('./scan-import.ts')).openScanDatabase(url, clock);
}
