/**
 * What is attached to an image to vouch for it: envelopes, statements, provenance and signatures as their bytes say them, and the port of
 * their verifier. It uses `image`, `facts` and `vex`.
 */
export { MAX_SIGNATURES, fromBase64, parseEnvelope, type Envelope } from './envelope.ts';
export { IMAGE_SIGNATURE, isImageSignature } from './image-signature.ts';
export { builderOf } from './provenance.ts';
export { parseSimpleSigning } from './simple-signing.ts';
export {
  IN_TOTO_PAYLOAD,
  MAX_SUBJECTS,
  asObject,
  parseJson,
  parsePredicate,
  parseStatement,
  statementNames,
  type Statement,
} from './statement.ts';
export type {
  Accepted,
  Annotations,
  Evidence,
  EvidenceVerifier,
  NotAccepted,
  Refusal,
  Verification,
  VerifiedArtifact,
} from './verify-ports.ts';
export { collectFacts, collectReference, type VexDocuments } from './collect.service.ts';
export {
  isComplete,
  mergeProofs,
  NOTHING_KNOWN,
  type Collected,
  type Part,
  type Problem,
} from './collected.ts';
export { MAX_EVIDENCE, MAX_EVIDENCE_BYTES } from './plan.ts';
export type {
  ClaimedDigest,
  CollectionState,
  CollectionStore,
  Lane,
  MonotonicClock,
  VexSource,
} from './ports.ts';
export { FactsCollector, repositoriesOf } from './collector.service.ts';
export { dueAfter } from './due.ts';
export { MAX_KEPT } from './payloads.ts';
export { VexLibrary } from './vex-library.service.ts';
