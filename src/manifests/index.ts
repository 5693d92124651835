/**
 * What `ipo check -f` reads: manifests and captured AdmissionReviews, with the place of everything in its file, and of the kinds in them
 * which ones make pods.
 * It uses `policy`, `pods` and `syntax`.
 */
export { parseManifest } from './manifest.ts';
export type { Manifest, Skipped, Workload } from './workload.ts';
export { ManifestError } from './manifest-error.ts';
export { MAX_MANIFEST_BYTES, readManifestDocuments, type ManifestDocument } from './manifest-text.ts';
