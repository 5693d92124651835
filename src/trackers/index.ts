/**
 * Issues in trackers: which findings are filed and where, exactly once; how they are closed, with the reason; the history of both.
 * Providers, channels and the store come through ports.
 * It uses `findings`, `channels`, `leadership` and `text`.
 */
export {
  ALERT_REASONS,
  CLOSE_REASONS,
  END_REASONS,
  type CloseReason,
  type EndReason,
  type IssueRef,
} from './issue.ts';
export type {
  ClosingPlan,
  IssueDraft,
  IssuePlan,
  IssueState,
  IssueTracker,
  IssueWriter,
  TrackerClock,
  TrackerFactory,
  WriteGuard,
} from './ports.ts';
export {
  TRACKER_FAULTS,
  TrackerError,
  type TrackerErrorOptions,
  type TrackerFault,
} from './tracker-error.ts';
export { closingChannel, type EndedFinding, type RowKind, type TrackingRow } from './row.ts';
export { inOrder, shareOut, type AlertCandidate, type Candidate } from './candidates.ts';
export type {
  Away,
  CapWindow,
  ChannelNote,
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
export { planSweep, type IssueName, type PlannedEnd, type SweepPlan } from './plan-sweep.ts';
export type { Closing, Commented, NewClosing, RunningImages, Successor, SweepStore } from './sweep-ports.ts';
export type { Block, Inline, Line } from '../text/index.ts';
export type { SummaryRoom, TextRoom, TextRooms } from './text-room.ts';
export type {
  ContinuationStore,
  NewContinuation,
  PendingContinuation,
  SummaryPlan,
} from './continuation-ports.ts';
export { Breaker } from './breaker.ts';
export { Filing, type FilingReport } from './filing.service.ts';
export { summariseHistory, type History, type HistoryEntry, type HistoryQuestion } from './history.ts';
export type { TrackingFilter, TrackingHistory, TrackingPage } from './history-ports.ts';
export type { TrackerParts } from './parts.ts';
export {
  judgeRemediation,
  REMEDIATION_STATES,
  remediationState,
  type Remediation,
  type RemediationCounts,
  type RemediationState,
} from './remediation.ts';
export { SteadyClock } from './steady-clock.service.ts';
export { Sweep, SWEEP_EVERY, type SweepReport } from './sweep.service.ts';
export { openIssueWriter, type WriterDeps } from './compose.service.ts';
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
export { routeIssue, type Routed, type RouteRefusal } from './route.ts';
export { planDrain, toPlainText, type DrainPlan } from './preview.ts';
export {
  openPreviews,
  type ChannelPlan,
  type IssuePreview,
  type PreviewDeps,
  type Previews,
} from './preview.service.ts';
export type { JiraPlace, JiraTransition, SetupProbe, TokenScopes } from './setup-ports.ts';
