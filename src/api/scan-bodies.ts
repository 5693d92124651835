import type { DescribedScan } from '../scan/index.ts';
import type { ImportedScansBody } from './contract/scans.ts';

type ScanBody = ImportedScansBody['scans'][number];

/** toImportedScans gives imported scans as the API tells them, and those that were only described in the same form. */
export function toImportedScans<T extends DescribedScan>(
  scans: readonly T[],
): { scans: (Omit<ScanBody, 'digest'> & { digest: T['digest'] })[] } {
  return {
    scans: scans.map(({ digest, image, names, scannedAt, databaseAt, os, findings, outcome, replaced }) => ({
      digest,
      image,
      names: [...names],
      scanned_at: scannedAt,
      db_updated_at: databaseAt,
      os: os && { family: os.family, name: os.name },
      end_of_life: os && os.eosl,
      findings,
      outcome,
      replaced,
    })),
  };
}
