/**
 * The policy document: its schema with defaults, how it is read from YAML or JSON with places, its revision, and
 * the namespaces it governs.
 */
export { KNOWN_EXPLOITED, policyDocument, policySpec, THRESHOLDS, type PolicyDocument, type PolicySpec } from './schema.ts';
export { governs, toPolicy, type Policy } from './policy.ts';
export { parsePolicies, parseRecordedPolicy, type ParsedPolicy, type PolicyFile } from './parse.ts';
export { PolicyError, type Problem } from './problems.ts';
export { diffPolicies, type PolicyChange } from './diff.ts';
export { revisionOf } from './revision.ts';
export { CURVE_HASHES, openPublicKey } from './public-key.ts';
export { SIGNALS, type Signal } from './signals.ts';
export { placeOf, type Places } from './document.ts';
