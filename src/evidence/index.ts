/**
 * Evidence packages: what was decided in a period as a signed archive that anyone can check. Populations and rows are read through
 * ports, judged by attestations, and mapped to the requirements of frameworks.
 * It uses `history`, `ledger`, `policy` and `render`.
 */
export { ATTESTATION_IDS } from './attestations/index.ts';
export { diffPackages, type PackageDiff } from './diff.ts';
export type { EvidenceDocument } from './document.ts';
export { findingsOf, imagesOf } from './findings.ts';
export {
  MAX_STATEMENT,
  openDeclarations,
  validIn,
  type Declarations,
  type DeclarationStore,
} from './kept/declarations.ts';
export { openPackages, PACKAGE_ID, prunePackages, type Packages } from './kept/packages.ts';
export {
  PACKAGE_STATES,
  STAGES,
  type AtWork,
  type Claimed,
  type KeptPackage,
  type KeyRecords,
  type PackageStore,
  type PackageWork,
  type Stage,
} from './kept/ports.ts';
export { summaryOf, type PackageSummary } from './kept/summary.ts';
export { FRAMEWORKS } from './frameworks/index.ts';
export { FRAMEWORK_IDS } from './frameworks/ids.ts';
export { toEvidenceKey, toEvidenceSigner, type EvidenceKey, type EvidenceSigner } from './package/key.ts';
export { makePackage, type Made } from './package/make.ts';
export { timestampRequest } from './package/timestamp.ts';
export { openPackage, type Package } from './package/open.ts';
export { parseEdge, parsePeriod, type Period } from './period.ts';
export type {
  Declaration,
  EvidenceDay,
  EvidenceSource,
  MuteFacts,
  RowsFile,
  RuntimeSection,
  Scratch,
  SourceFacts,
} from './ports.ts';
export { recompute, type Recomputed } from './recompute.ts';
export type { FindingRecord, ImageRecord, IssueRecord, TriageRecord } from './records.ts';
export { toRequest, MAX_DAYS, type EvidenceRequest, type EvidenceWish } from './request.ts';
export { verifyRowsOf, type RowsBeside, type RowsOptions, type RowsOutcome } from './rows-beside.ts';
export { drawSample, SAMPLED, type Sample } from './sample.ts';
export { documentSchema } from './schema.ts';
export { placed, type PackageCheck } from './checks.ts';
export { verifyPackage, type PackageVerification, type VerifyPackageOptions } from './verify.ts';
export { agreesWithKept } from './vouched.ts';
export { rank, STATE_WORDS, toneOf } from './report/words.ts';
