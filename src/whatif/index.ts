/**
 * The what-if: a draft policy decided again over recorded rows, by the same `decide` as the webhook. It is given
 * read ports only, so it can write nothing and ask nobody.
 */
export { MAX_DAYS, runSelfCheck, runWhatIf, WhatIfError, type WhatIfRequest } from './whatif.service.ts';
export { sourceOf } from './export-source.ts';
export type { Period, ReplaySource } from './ports.ts';
export type {
  Baseline,
  ChangeGroup,
  ContextSummary,
  DayCount,
  PolicyChangeDocument,
  Sample,
  SelfCheckMismatch,
  SelfCheckResult,
  WhatIfResult,
} from './result.ts';
export { workloadOf } from './workload.ts';
