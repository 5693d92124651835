import { toImportedScans } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import { describeReports, importReports, type ImportTarget } from '../../scan/index.ts';
import { parseReports, readReports } from './read-reports.ts';

/** DescribedScans is what a report says, in the form in which the API tells what it imported. */
export type DescribedScans = ReturnType<typeof describeScans>;

/**
 * describeScans reads the text of a report, of Trivy, trivy-operator or Grype, and tells what it says of which image. Nothing is
 * written; `toRecord` refuses what could not be recorded. Throws ReportError and ScanError.
 */
export function describeScans(
  text: string,
  file: string,
  target: ImportTarget,
  clock: Clock,
  toRecord = false,
) {
  return toImportedScans(describeReports(parseReports(text, file), target, clock.now(), toRecord));
}

/** ScanDatabase imports reports into a database, with nobody signed in: anyone who may open the database may do so. */
export interface ScanDatabase {
  /** Throws ReportError, ScanError and StoreError. */
  importScans(value: unknown, file: string, target: ImportTarget): Promise<DescribedScans>;
  close(): Promise<void>;
}

/** openScanDatabase opens the database at an address. Throws StoreError. */
export async function openScanDatabase(url: string, clock: Clock): Promise<ScanDatabase> {
  const { auditLog, openStore, scanStore } = await import('../../store/index.ts');
  const store = await openStore({ url, migrate: false, turn: 'behind' });
  const audit = auditLog(store, clock);
  return {
    importScans: async (value, file, target) =>
      toImportedScans(
        await importReports(readReports(value, file), target, {
          scans: scanStore(store),
          clock,
          together: (act) => store.write(act),
          recorded: ({ digest, image, outcome, findings }) =>
            audit.record({
              actor: null,
              action: 'scan_import',
              target: digest,
              path: 'ipo scan import',
              detail: { image, outcome, findings },
            }),
        }),
      ),
    close: () => store.close(),
  };
}
