/**
 * The operator inside its cluster: the policies that ImagePolicy and RuntimePolicy
 * objects tell, and what is written back: statuses, events, ClusterImageReports and policy reports. The API server itself is a port.
 * It uses `findings`, `policy`, `leadership` and `runtime`.
 */
export { ClusterError, isFault, type ClusterFault } from './cluster-error.ts';
export { customResourceDefinitions } from './crds.ts';
export { EventRecorder, type EventSeries, type EventSink } from './events.service.ts';
export type { ReportedImage } from './image-report.ts';
export {
  ClusterPolicies,
  writerOf,
  type ClusterPoliciesDeps,
  type PolicyMark,
  type PolicyMirror,
  type PolicyStatuses,
} from './policies.service.ts';
export {
  REPORT_KINDS,
  REPORT_NAME,
  toPolicyReport,
  type LastReview,
  type ReportKind,
} from './policy-report.ts';
export {
  IMAGE_POLICY,
  readPolicyObject,
  RUNTIME_POLICY,
  withoutOwnMarks,
  WRITTEN_BY,
  type Decides,
  type PolicyObject,
  type PolicyObjectKind,
  type PolicyStatus,
} from './policy-status.ts';
export type { ClusterEvent, ClusterEvents, ObjectRef } from './ports.ts';
export {
  writeImageReports,
  writePolicyReports,
  type ReportObjects,
  type ReportSource,
  type WrittenReport,
} from './reports.service.ts';
