/**
 * The operator inside its cluster: the policies that ImagePolicy and RuntimePolicy
 * objects tell, and what is written back: statuses, events, ClusterImageReports and policy reports. The API server itself is a port.
 * It uses `findings`, `policy`, `leadership` and `runtime`.
 */
export { CLUSTER_FAULTS, ClusterError, isFault, type ClusterFault } from './cluster-error.ts';
export type { Condition } from './conditions.ts';
export { customResourceDefinitions } from './crds.ts';
export { EventRecorder, type EventRecorderDeps, type EventSeries, type EventSink } from './events.service.ts';
export {
  MAX_REPORT_FINDINGS,
  reportName,
  toImageReport,
  type ImageReport,
  type ReportedImage,
} from './image-report.ts';
export {
  ClusterPolicies,
  writerOf,
  type ClusterPoliciesDeps,
  type PolicyMark,
  type PolicyMirror,
  type PolicyStatuses,
} from './policies.service.ts';
export {
  REPORT_APIS,
  REPORT_KINDS,
  REPORT_NAME,
  toPolicyReport,
  type LastReview,
  type PolicyReport,
  type ReportKind,
} from './policy-report.ts';
export {
  IMAGE_POLICY,
  readPolicyObject,
  RUNTIME_POLICY,
  toPolicyStatus,
  withoutOwnMarks,
  WRITTEN_BY,
  type Decides,
  type PolicyObject,
  type PolicyObjectKind,
  type PolicyStatus,
  type ReadPolicy,
} from './policy-status.ts';
export type { ClusterEvent, ClusterEvents, ObjectRef } from './ports.ts';
export {
  writeImageReports,
  writePolicyReports,
  type ReportObjects,
  type ReportsDone,
  type ReportSource,
  type RoundDeps,
  type WrittenReport,
} from './reports.service.ts';
