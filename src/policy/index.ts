/**
 * The policy document: its schema with defaults, how it is read from YAML or JSON with places, its revision, the
 * namespaces it governs, and how two of them differ. What only the writers of policies need is loaded by
 * `loadAuthoring`, so that a decision does not wait for it.
 * It uses `image` and `syntax`.
 */
export {
  deniesBy,
  oneStepStricter,
  policySpec,
  THRESHOLDS,
  type PolicyDocument,
  type PolicySpec,
} from './schema.ts';
export { governs, type Policy } from './policy.ts';
export { parsePolicies, withoutNulls, type ParsedPolicy, type PolicyFile } from './parse.ts';
export { namespaceFault } from './schema-parts.ts';
export { checkBounds, parsePolicyValue, withoutServerFields } from './parse-value.ts';
export {
  IMAGE_POLICIES,
  openKeptPolicies,
  openPolicies,
  type KeptPolicies,
  type Policies,
  type PolicyKind,
  type Written,
} from './policies.service.ts';
export type {
  Expected,
  Listed,
  NamedPolicies,
  PolicyPage,
  PolicyRevision,
  PolicyStore,
  PolicyWrite,
  Removed,
  Replaced,
  StoredPolicy,
} from './ports.ts';
export { parseRecordedPolicy } from './recorded.ts';
export { LEVELS, PolicyError, type Level, type Problem } from './problems.ts';
export { diffPolicies } from './diff.ts';
export { entriesOf } from './entries.ts';
export { showEntry, showValue } from './show.ts';
export { revisionOf } from './revision.ts';
export { CURVE_HASHES, openPublicKey } from './public-key.ts';
export { openPattern, patternFault } from './pattern.ts';
export { patternTexts } from './pattern-texts.ts';
export { acceptsIdentity, acceptsIssuer, type SignerName } from './signer.ts';
export { SIGNALS, type Signal } from './signals.ts';
export { policyJsonSchema } from './json-schema.ts';
export { MAX_POLICY_BYTES, readDocuments, type SourceFile } from './document.ts';
export { placeOf, placesIn, type Place, type Places } from './places.ts';
export { loadAuthoring, type Authoring } from './authoring-load.ts';
export type { FieldChange } from './changes.ts';
export type { Comparison, PolicyPair } from './compare.ts';
