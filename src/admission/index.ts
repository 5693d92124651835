/**
 * The pod side of an admission: which images a pod runs, which of the six signals it shows, what exposes it, and the
 * answer of all policies that govern its namespace. Manifests and AdmissionReviews are read here too; the webhook
 * and `ipo check` share all of it.
 */
export { Exposure } from './exposure.ts';
export { judgePod, type HardeningVerdict, type PodJudgement } from './hardening.ts';
export { governing, judgeImage, type ImageJudgement } from './judge.ts';
export { parseManifest } from './manifest.ts';
export type { Manifest, Skipped, Workload } from './workload.ts';
export { ManifestError } from './manifest-error.ts';
export { MAX_MANIFEST_BYTES } from './manifest-text.ts';
export { podSpec } from './pod.ts';
export { signalsOf } from './signals.ts';
