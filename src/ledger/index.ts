/**
 * The ledger: one row per decided image, and the export `ipo.ledger/1`, which carries everything that a replay
 * needs: rows, policies by revision, and the facts of every digest.
 * It uses `facts`, `decision` and `leadership`.
 */
export { isRecordedRefusal, type LedgerRow } from './entry.ts';
export {
  LedgerError,
  type ColdImagePolicy,
  type InForce,
  type LedgerSource,
  type RecordedPolicy,
  type SourceLack,
} from './export-format.ts';
export { readExport, type LedgerExport, type ReadOptions } from './export-read.ts';
export type { RowBatch } from './row-shapes.ts';
export { exportLines, type ExportParts } from './export-write.ts';
export { AppendError } from './append-error.ts';
export { Appender, type AppenderOptions } from './append.service.ts';
export {
  MAX_ENTRY_ROWS,
  recordedRow,
  type Appended,
  type LedgerEntry,
  type NewRow,
  type RecordedRow,
} from './new-row.ts';
export type {
  ExportRequest,
  LedgerAppend,
  LedgerExporter,
  LedgerFilter,
  LedgerReader,
  LedgerWriter,
  RowRange,
  Spool,
  Stored,
  Timers,
} from './ports.ts';
export { leftIn, type Left } from './spool-left.ts';
export { ClockWatch, type ClockStanding, type Recorded, type RecordedTimes } from './clock-watch.ts';
export { fromBase64, hashBytes, hashLeaf, toBase64, toHash, UNREADABLE, type Hash } from './merkle.ts';
export { leafHash, leafText, toLeafShape } from './leaf.ts';
export { readLeafRuns } from './leaf-runs.ts';
export { LeafBytes, toLeafShapeBytes, type LeafShapeBytes } from './leaf-bytes.ts';
export { Anchoring, UNREAD_MS, type RefusedCheckpoint } from './anchor.service.ts';
export { ANCHOR_REFUSALS, isOtherLedger, judgeAnchored, type AnchorRefusal } from './judge-anchored.ts';
export { openCheckpoint, readCheckpoint, signCheckpoint, type Checkpoint } from './checkpoint.ts';
export {
  parseNote,
  parseVkey,
  VKEY_HINT,
  toSigner,
  verifyNote,
  writeNote,
  type NoteKey,
  type NoteSigner,
} from './note.ts';
export { verifyConsistency } from './proof.ts';
export { proveFromExport, proveRowsFromExport } from './prove-from-export.ts';
export { proveRow } from './prove-row.ts';
export { digestOfRow, labelOfRow } from './older-row.ts';
export { LABEL_WANTED, ROW_LABELS, toRowFilter } from './row-filter.ts';
export { proveRange, type ExportSeal, type ExportTree } from './range-proof.ts';
export { proveConsistency, rootAt, type TileReader } from './tiles.ts';
export { writeTlogProof } from './tlog-proof.ts';
export { TreeError } from './tree-error.ts';
export { LedgerTree, type TreeDeps } from './tree.service.ts';
export type { GrowingTree, Leaf, LeafRun, SignedCheckpoint, TreeReader, TreeStore } from './tree-ports.ts';
export type { Anchor, AnchorKept, AnchorState, AnchorStates } from './anchor-ports.ts';
export { successorOf } from './ended-log.ts';
export { LineBlocks } from './lines.ts';
export { keptOfExport, MAX_KEPT, parseKept, type KeptCheckpoint } from './kept.ts';
export { isUnsigned, type Check, type Verification } from './verification.ts';
export { verifyDatabase } from './verify-database.ts';
export { verifyExport, type VerifyOptions } from './verify-export.ts';
export { verifyProof, type ProvedRow } from './verify-proof.ts';
