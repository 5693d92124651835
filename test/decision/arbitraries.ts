/**
 * What property tests draw from: policies, recorded facts, subjects of a decision and ledger rows, all made from the
 * small pools of `pools.ts`, so that they often meet.
 */
export { DIGESTS, IMAGES, NAMESPACES, NOW, REGISTRIES } from './pools.ts';
export { arbitraryPolicySpec, policyOf, toSpec } from './arbitrary-policy.ts';
export { arbitraryFactsDocument, arbitraryImageFacts, arbitraryVexStatements } from './arbitrary-facts.ts';
export { arbitraryLedgerRow, arbitrarySubject, toLedger } from './arbitrary-rows.ts';
