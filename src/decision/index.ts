/**
 * The decision: one pure function from a policy, the facts of one image and a time to a verdict. The webhook, the
 * replay and the reconciliation call it; whether a policy audits or enforces is applied afterwards.
 * It uses `image`, `findings`, `policy` and `facts`.
 */
export { BYPASS_DID_NOT_COUNT, bypassFault, decide, mayBypass, type Decision } from './decide.ts';
export { AUDIT_PREFIX, enforce, sentenceOf, type PolicyVerdict, type Outcome } from './enforce.ts';
export { DENIAL_LABELS, gateOf, isDenialLabel, WORKLOAD_HARDENING, type DenialLabel } from './labels.ts';
export { ASK_REGISTRY, SIGNAL_REMEDIES, WITHOUT_PACKAGES } from './remedies.ts';
export { labelOfSentence } from './reasons.ts';
export { warningsOf } from './warnings.ts';
export type { UnknownFact } from './gate.ts';
