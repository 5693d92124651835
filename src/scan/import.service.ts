import type { Clock, Digest } from '../base/index.ts';
import { countBySeverity, type OperatingSystem, type SeverityCounts } from '../findings/index.ts';
import { withDatabase } from './given-database.ts';
import { findTargets, planImport, type ImportTarget } from './plan-import.ts';
import type { Recorded, ScanStore } from './ports.ts';
import { ScanError } from './scan-error.ts';
import type { ScanReport } from './scan-report.ts';

/** ImportedScan tells what a report says of one digest, and what became of it; `outcome` null: nothing was written. */
export interface ImportedScan {
  readonly file: string;
  readonly digest: Digest;
  /** The first name, or the artifact as the scanner was told. */
  readonly image: string;
  readonly names: readonly string[];
  readonly scannedAt: string | null;
  /** When the database of the scanner was made; null where neither the report nor anyone else says so. */
  readonly databaseAt: string | null;
  readonly os: OperatingSystem | null;
  /** Null when the report holds no result of packages: the scan is incomplete, not clean. */
  readonly findings: SeverityCounts | null;
  readonly outcome: Recorded['outcome'] | null;
  readonly replaced: boolean;
}

/** ImportParts are what an import acts through. */
export interface ImportParts {
  readonly scans: ScanStore;
  readonly clock: Clock;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
  /** Told of each scan in the act that records it: the place of the audit entry. */
  recorded(scan: ImportedScan): Promise<void>;
}

/** DescribedScan is what a report says, before it is recorded; `digest` is null where it does not say which image it is about. */
export type DescribedScan = Omit<ImportedScan, 'digest'> & { readonly digest: Digest | null };

/**
 * describeReports tells what reports say and would be recorded for. A target is only for one report. `toRecord` refuses what could not be
 * recorded. Throws ScanError.
 */
export function describeReports(
  reports: readonly ScanReport[],
  target: ImportTarget,
  at: number,
  toRecord = false,
): readonly DescribedScan[] {
  checkTarget(reports, target);
  return reports.flatMap((one): readonly DescribedScan[] => {
    const report = withDatabase(one, target.databaseAt, at);
    const planned = (toRecord ? planImport : findTargets)(report, target, at);
    if (planned.length === 0) return [{ ...describe(report, report.names), digest: null }];
    return planned.map(({ digest, names }) => ({ ...describe(report, names), digest }));
  });
}

function checkTarget(reports: readonly ScanReport[], target: ImportTarget): void {
  if (reports.length > 1 && (target.digest || target.image)) {
    throw new ScanError(
      'invalid_request',
      `digest and image say which image one report is about; here are ${reports.length}`,
      {
        hint: 'Import the report of that image by itself',
      },
    );
  }
}

function describe(report: ScanReport, names: readonly string[]): Omit<ImportedScan, 'digest'> {
  const { scan, file } = report;
  return {
    file,
    image: names[0] ?? (report.artifact || '(no name)'),
    names,
    scannedAt: scan.scannedAt,
    databaseAt: scan.scanner?.dbUpdatedAt ?? null,
    os: scan.os,
    findings: scan.findings === null ? null : countBySeverity(scan.findings),
    outcome: null,
    replaced: false,
  };
}

/**
 * importReports records reports for each digest that they are about. All of them are read before the first is recorded; each
 * digest is an act of its own. Throws ScanError, and what the store throws.
 */
export async function importReports(
  reports: readonly ScanReport[],
  target: ImportTarget,
  { scans, clock, together, recorded: tell }: ImportParts,
): Promise<readonly ImportedScan[]> {
  const at = clock.now();
  checkTarget(reports, target);
  const planned = reports.flatMap((one) => {
    const report = withDatabase(one, target.databaseAt, at);
    return planImport(report, target, at).map((scan) => ({ report, ...scan }));
  });
  const imported: ImportedScan[] = [];
  for (const { report, digest, names } of planned) {
    const { source, scan, platform } = report;
    const made = { digest, names, source, scan, platform, at };
    await scans.prepare(made);
    imported.push(
      await together(async () => {
        const recorded = await scans.record(made);
        const one = { ...describe(report, names), digest, ...recorded };
        await tell(one);
        return one;
      }),
    );
  }
  return imported;
}
