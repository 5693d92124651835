/**
 * What a decision is made from: the recorded facts of a digest, the context of the pod, and the proof that a
 * signature or a statement was made by somebody a policy names. Facts that were never recorded are null, which
 * is another thing than none.
 * It uses `image`, `findings`, `policy` and `vex`.
 */
export { foundPackage } from './found-package.ts';
export {
  hasNoPackages,
  NO_FACTS,
  type ImageFacts,
  type SignedAttestation,
  type SignedEntry,
  type ProvenanceEntry,
  type VexEntry,
} from './image-facts.ts';
export { parseImageFacts, toImageFactsDocument, factsDigest } from './image-facts-document.ts';
export { FactsError } from './fields.ts';
export { inputsDigest, effectiveDigest, namedDigest, type Subject } from './subject.ts';
export { factsOn, lacksScan } from './on-platform.ts';
export type { Signer } from './keys.ts';
export { isBuiltBy, PROVENANCE_TYPES, saysSo, statedBuilder } from './provenance.ts';
export { artifactCounts, attestationCounts, isVerified, signatureCounts, vexCounts } from './verify.ts';
