/**
 * Reconciliation: what runs is judged again by the decision of the webhook, whatever let it in. A sweep lists the pods, says which
 * were never reviewed, records verdicts that turned, and, where that is allowed, stops pods whose replacement is admitted. What a
 * sweep does is planned by pure functions; `sweep.service.ts` obeys.
 * It uses `image`, `policy`, `facts`, `decision`, `ledger`, `pods`, `leadership` and `replicas`.
 */
export { digestOf, judgeRunning, type JudgeContext, type JudgedPod } from './judge-running.ts';
export { judgeReplacement, type KnownReplacement } from './judge-replacement.ts';
export { SELECTOR_OPERATORS, selects, type NamespaceSelector } from './namespace-selector.ts';
export { planStops, stopCandidates } from './plan-stops.ts';
export { planSweep, type SweepFacts } from './plan-sweep.ts';
export { ALWAYS_LEFT_OUT, covers, mayStop, mustHaveRow, PERIOD, type SweepRules } from './rules.ts';
export { namesOf, seenWorkloads } from './seen.ts';
export { Reconciliation, type ReconciliationDeps, type SweepResult } from './sweep.service.ts';
export type {
  ImageOfIndex,
  PodController,
  PodEvent,
  PodEvents,
  PodLedger,
  PodRecord,
  PodSpec,
  PodStopper,
  PulledImage,
  PulledIndexes,
  RecordedVerdict,
  Replacement,
  Replacements,
  RunningContainer,
  RunningPod,
  RunningPods,
  SweepAccount,
  StopOutcome,
  SweepLog,
  WantedPod,
} from './ports.ts';
export { UnscannableNews, type UnscannableEvent } from './unscannable.ts';
