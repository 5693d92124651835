/**
 * Verification of what vouches for an image, with Sigstore's own libraries: bundles and cosign's older layout, keyless
 * against a trust root from a file or a TUF repository, in a thread of its own.
 * It uses `transport`.
 */
export { MAX_EVIDENCE_BYTES } from './bundle.ts';
export { openVerifier, type OpenVerifier, type VerifierOptions } from './open-verifier.ts';
export { MAX_TRUST_ROOT_BYTES, parseTrustRoot, type TrustRoot } from './trust-root.ts';
export { openTrustFile, type TrustSource } from './trust-source.ts';
export { openTufTrust, PUBLIC_MIRROR } from './tuf.ts';
export { serveVerification } from './verify-thread.ts';
