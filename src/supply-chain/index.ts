/**
 * What is attached to an image to vouch for it: envelopes, statements, provenance and signatures as their bytes say them, and the port of
 * their verifier. It uses `image`, `facts` and `vex`.
 */
export {
  MAX_SIGNATURES,
  fromBase64,
  parseEnvelope,
  type Envelope,
  type EnvelopeSignature,
} from './envelope.ts';
export { IMAGE_SIGNATURE, isImageSignature } from './image-signature.ts';
export { builderOf, isProvenance } from './provenance.ts';
export { parseSimpleSigning, type SimpleSigning } from './simple-signing.ts';
export {
  IN_TOTO_PAYLOAD,
  MAX_SUBJECTS,
  STATEMENT_TYPES,
  asObject,
  parseJson,
  parsePredicate,
  parseStatement,
  statementNames,
  type Statement,
  type StatementSubject,
} from './statement.ts';
export {
  REFUSALS,
  UNVERIFIABLES,
  type Accepted,
  type Annotations,
  type Evidence,
  type EvidenceVerifier,
  type NotAccepted,
  type Refusal,
  type Unverifiable,
  type Verification,
  type VerifiedArtifact,
} from './verify-ports.ts';
export {
  collectFacts,
  collectReference,
  MAX_REPOSITORIES,
  type CollectAsk,
  type CollectDeps,
  type CollectedReference,
  type VexDocuments,
} from './collect.service.ts';
export {
  isComplete,
  mergeProofs,
  NOTHING_KNOWN,
  type Attempt,
  type Collected,
  type CollectedVex,
  type KnownProofs,
  type Part,
  type Problem,
  type VexTally,
} from './collected.ts';
export { MAX_EVIDENCE, MAX_EVIDENCE_BYTES, PROOF_LISTS, type ProofList } from './plan.ts';
export type {
  ClaimedDigest,
  CollectionState,
  CollectionStore,
  Lane,
  MonotonicClock,
  SignedDocument,
  VexSource,
} from './ports.ts';
export { COLLECT_LIMIT, FactsCollector, repositoriesOf, type CollectorDeps } from './collector.service.ts';
export { dueAfter, retryAfter } from './due.ts';
export { MAX_KEPT } from './payloads.ts';
export { VEX_REJECTIONS, vexOf, type SignedVex, type VexFound, type VexRejection } from './vex-claims.ts';
export { VexLibrary, type VexLibraryDeps } from './vex-library.service.ts';
