/**
 * Policies of other tools read into ours: Kyverno, Gatekeeper, sigstore policy-controller and Connaisseur. What became of
 * each rule is said; what cannot be said exactly is said stricter, and what is left out is told.
 * It uses `policy`, `manifests` and `render`.
 */
export { importPolicies, type ImportResult } from './import.ts';
export { documentOf, importedText } from './write.ts';
export { OUTCOMES } from './imported.ts';
