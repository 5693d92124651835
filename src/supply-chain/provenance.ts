import { asObject, parsePredicate, type Statement } from './statement.ts';

/**
 * PROVENANCE_TYPES are the predicate types of SLSA provenance that are read: version 0.2; version 1, and the draft of
 * it that builders wrote before it was final, which names the builder in the same place.
 */
export const PROVENANCE_TYPES = [
  'https://slsa.dev/provenance/v0.2',
  'https://slsa.dev/provenance/v1',
  'https://slsa.dev/provenance/v1.0?draft',
] as const;

/** isProvenance tells whether a statement claims to be a provenance that is read here. */
export function isProvenance(statement: Statement): boolean {
  return PROVENANCE_TYPES.some((type) => type === statement.predicateType);
}

/**
 * builderOf gives the builder id that a provenance claims: `builder.id` in version 0.2, `runDetails.builder.id` in
 * version 1. Null when the statement is no provenance or names none. Whoever can sign can claim any builder, so that
 * the claim counts only with its signer, which the decision compares.
 */
export function builderOf(statement: Statement, payload: Uint8Array): string | null {
  if (!isProvenance(statement)) return null;
  const predicate = asObject(parsePredicate(payload));
  const holder =
    statement.predicateType === 'https://slsa.dev/provenance/v0.2'
      ? predicate
      : asObject(predicate?.runDetails);
  const id = asObject(holder?.builder)?.id;
  return typeof id === 'string' && id !== '' ? id : null;
}
