/**
 * Ledgers made from what a cluster already has: the API server's audit log, or a list of its pods, with facts from
 * reports. What such a source cannot know stays unknown.
 * It uses `image`, `policy`, `facts`, `decision`, `ledger`, `pods`, `admission` and `checks`.
 */
export { AuditRecorder, type AuditCounts } from './audit-recorder.ts';
export { AUDIT_POLICY } from './audit-policy.ts';
export { auditLines } from './audit-lines.ts';
export { untilEvent, type AuditStart } from './audit-start.ts';
export { emptyObjects, readObjects, type ClusterObjects } from './cluster-objects.ts';
export { factsOfImages } from './image-facts.ts';
export { podRows } from './pod-rows.ts';
export { asReferences, toExport } from './recorded-export.ts';
export { RecordingError } from './recording-error.ts';
