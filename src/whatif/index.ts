/**
 * The what-if: a draft policy decided again over recorded rows, by the same `decide` as the webhook. It is given
 * read ports only, so it can write nothing and ask nobody.
 * It uses `image`, `policy`, `facts`, `decision`, `ledger`, `accounts` and `render`.
 */
export {
  MAX_DAYS,
  runSelfCheck,
  runWhatIf,
  runWhatIfs,
  WhatIfError,
  type SeveralResult,
  type WhatIfRequest,
} from './whatif.service.ts';
export { sourceOf } from './export-source.ts';
export type { ReplaySource } from './ports.ts';
export type { SelfCheckMismatch, SelfCheckResult, WhatIfResult } from './result.ts';
export {
  KEPT,
  LiveError,
  openLiveWhatIf,
  STANDARD,
  type LiveDeps,
  type LiveRequest,
  type LiveWhatIf,
} from './live.service.ts';
export { loadPrinting } from './printing.ts';
export { RUN_ID } from './run-id.ts';
export type {
  KeptRun,
  PrintedRun,
  KeptRunSummary,
  ReplayJob,
  Replayed,
  Replayer,
  RunFilter,
  RunPrinter,
  RunStore,
} from './run-ports.ts';
export { openKeptRuns, pruneRuns, type KeptRuns } from './runs.service.ts';
export { subjectOf } from './subject.ts';
export { workloadOf } from './workload.ts';
