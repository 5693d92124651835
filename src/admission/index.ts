/**
 * The webhook but for its port: `Reviewer` reads an AdmissionReview, gathers what is known, decides, records and answers. The counts, the
 * events and the scans that follow a review start here too.
 * It uses `image`, `policy`, `facts`, `decision`, `ledger` and `pods`.
 */
export {
  FAILURE_POLICIES,
  REVIEW_PATH,
  type DigestLookup,
  type FactsSnapshot,
  type FailurePolicy,
  type NameGate,
  type PolicySnapshot,
  type ReviewEvent,
  type ReviewEvents,
  type ScanObstacle,
  type ScanObstacles,
  type ScanRequests,
  type TagAnswer,
} from './ports.ts';
export { pseudonymOf } from './requester.ts';
export { MAX_REVIEW_BYTES } from './review-skim.ts';
export { UNDECIDED } from './review-image.ts';
export { REVIEW_OUTCOMES, ReviewTally } from './review-tally.ts';
export { Reviewer, type ReviewerDeps, type ReviewerOptions, type ReviewReply } from './review.service.ts';
export { WantedScans, type WantedScansDeps } from './wanted-scans.service.ts';
