/**
 * The ledger: one row per decided image, and the export `ipo.ledger/1`, which carries everything that a replay
 * needs: rows, policies by revision, and the facts of every digest.
 */
export { isRecordedRefusal, type LedgerRow } from './entry.ts';
export {
  EXPORT_FORMAT,
  LedgerError,
  type ColdImagePolicy,
  type ExportHeader,
  type RecordedPolicy,
} from './export-format.ts';
export { readExport, type LedgerExport } from './export-read.ts';
export type { RowBatch } from './row-shapes.ts';
export { exportLines, type ExportParts } from './export-write.ts';
