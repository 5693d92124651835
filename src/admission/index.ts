/**
 * The pod side of an admission: which images a pod runs, which of the six signals it shows, what exposes it, and the
 * answer of all policies that govern its namespace. Manifests and AdmissionReviews are read here too; the webhook
 * and `ipo check` share all of it. `Reviewer` is the webhook but for its port: it reads a review, decides and records it.
 */
export {
  Exposure,
  ingressObject,
  serviceObject,
  toIngressRoute,
  toServiceRoute,
  type IngressRoute,
  type ServiceRoute,
} from './exposure.ts';
export { RouteTable } from './route-table.ts';
export { judgePod, type HardeningVerdict, type PodJudgement } from './hardening.ts';
export { mayAskRegistry } from './digest-needs.ts';
export { governing, judgeImage, judgementOf, judgeUnnamed, type ImageJudgement } from './judge.ts';
export { parseManifest } from './manifest.ts';
export type { Manifest, Skipped, Workload } from './workload.ts';
export { ManifestError } from './manifest-error.ts';
export { MAX_MANIFEST_BYTES } from './manifest-text.ts';
export { BREAK_GLASS, imagesOf, podImagesOf, podSpec, type ContainerImage, type PodSpec } from './pod.ts';
export { signalsOf } from './signals.ts';
export {
  FAILURE_POLICIES,
  REVIEW_PATH,
  type DigestLookup,
  type ExposureIndex,
  type FactsSnapshot,
  type FailurePolicy,
  type NameGate,
  type PodOwner,
  type PolicySnapshot,
  type ReviewEvent,
  type ReviewEvents,
  type ScanObstacle,
  type ScanObstacles,
  type ScanRequests,
  type TagAnswer,
} from './ports.ts';
export { pseudonymOf } from './requester.ts';
export { MAX_REVIEW_BYTES, MAX_REVIEW_DEPTH } from './review-skim.ts';
export { UNDECIDED } from './review-image.ts';
export { REVIEW_OUTCOMES, ReviewTally, type ReviewOutcome } from './review-tally.ts';
export { Reviewer, type ReviewerDeps, type ReviewerOptions, type ReviewReply } from './review.service.ts';
export { WantedScans, type WantedScansDeps } from './wanted-scans.service.ts';
export { nodePlatformOf, type PlacedSpec, type PlatformOfNode } from './node-platform.ts';
