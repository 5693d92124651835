/**
 * What is known of images: the four exclusive states, the detail behind each, vulnerabilities over all images, and triage.
 * It uses `image`, `findings`, `policy`, `facts`, `decision` and `ledger`.
 */
export { answersAt, governingAt, judgeCompliance, type Place, type PolicyAnswer } from './compliance.ts';
export { explainState } from './explain.ts';
export { openImages, type ImageDetail, type Images } from './images.service.ts';
export { readPolicies, type PoliciesInForce } from './policies-in-force.ts';
export {
  IMAGE_SORTS,
  TRIAGE_STATES,
  type FoundOn,
  type ImageItem,
  type ImageList,
  type ImageQuery,
  type ImageRecord,
  type PresentedFinding,
  type ImageStore,
  type ImageToJudge,
  type Judged,
  type Review,
  type ScanSummary,
  type Sighting,
  type TriageEntry,
  type TriageQuery,
  type TriageStore,
  type PolicyReads,
} from './ports.ts';
export { IMAGE_STATES, stateOf, type ImageState, type StateCounts } from './state.ts';
export { openTriage, TRIAGE_MS, triageMs, type NewTriage, type Triage } from './triage.service.ts';
export {
  VULNERABILITY_SORTS,
  type Vulnerability,
  type VulnerabilityQuery,
  type VulnerabilityStore,
} from './vulnerability.ts';
