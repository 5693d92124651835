/**
 * Issues in trackers: which findings are filed and where, exactly once; how they are closed, with the reason; the history of both.
 * Providers, channels and the store come through ports.
 * It uses `findings`, `channels`, `leadership` and `text`.
 */
export { CLOSE_REASONS, END_REASONS, type EndReason, type IssueRef } from './issue.ts';
export type {
  ClosingPlan,
  IssueDraft,
  IssueState,
  IssueTracker,
  TrackerClock,
  TrackerFactory,
  WriteGuard,
} from './ports.ts';
export { TrackerError, type TrackerErrorOptions, type TrackerFault } from './tracker-error.ts';
export type { EndedFinding, TrackingRow } from './row.ts';
export type { AlertCandidate, Candidate } from './candidates.ts';
export type {
  Away,
  CapWindow,
  CriticalCursor,
  CriticalPage,
  Fence,
  FilingStore,
  Moment,
  NewClaim,
  PendingAttempt,
  PendingClaim,
  Recorded,
  StoredClock,
} from './filing-ports.ts';
export {
  judgeFinding,
  missingProof,
  QUIET_MS,
  type ClusterSweeps,
  type FoundStamp,
  type OpenFinding,
  type ScanStamp,
} from './judge.ts';
export { majorityReason } from './majority.ts';
export { findingsIn, isSummary, type FiledIssue } from './filed.ts';
export { MARKER, openMarkers, type Markers } from './marker.ts';
export { planSweep, type IssueName, type PlannedEnd } from './plan-sweep.ts';
export type { Closing, Commented, NewClosing, RunningImages, Successor, SweepStore } from './sweep-ports.ts';
export type { Block, Inline } from '../text/index.ts';
export type { SummaryRoom, TextRoom, TextRooms } from './text-room.ts';
export type { ContinuationStore, PendingContinuation, SummaryPlan } from './continuation-ports.ts';
export { Breaker } from './breaker.ts';
export { Filing, type FilingReport } from './filing.service.ts';
export { summariseHistory, type History, type HistoryQuestion } from './history.ts';
export type { TrackingFilter, TrackingHistory, TrackingPage } from './history-ports.ts';
export type { TrackerParts } from './parts.ts';
export { REMEDIATION_STATES, remediationState, type RemediationCounts } from './remediation.ts';
export { SteadyClock } from './steady-clock.service.ts';
export { Sweep, SWEEP_EVERY, type SweepReport } from './sweep.service.ts';
export { openIssueWriter } from './compose.service.ts';
export {
  findingKey,
  type FindingName,
  type FoundPackage,
  type IssueFacts,
  type IssueTerms,
  type KnownAlert,
  type KnownFinding,
  type KnownImage,
  type Workload,
} from './compose-ports.ts';
export { toPlainText } from './preview.ts';
export { openPreviews, type ChannelPlan, type IssuePreview, type Previews } from './preview.service.ts';
export type { JiraPlace, JiraTransition, SetupProbe } from './setup-ports.ts';
