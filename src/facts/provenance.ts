import type { Digest } from '../base/index.ts';
import type { ProvenanceEntry } from './image-facts.ts';
import { namesDigest, parseJson } from './payload.ts';
import { isSignedWith } from './verify.ts';

/**
 * PROVENANCE_TYPES are the predicate types of SLSA provenance that are read: version 0.2; version 1, and the draft of
 * it that builders wrote before it was final, which names the builder in the same place.
 */
export const PROVENANCE_TYPES = [
  'https://slsa.dev/provenance/v0.2',
  'https://slsa.dev/provenance/v1',
  'https://slsa.dev/provenance/v1.0?draft',
] as const;

/**
 * statedBuilder gives the builder id that the payload of an in-toto statement claims: `builder.id` in version 0.2, `runDetails.builder.id`
 * in version 1. Null when it is not provenance or names no builder. Anyone who can sign can claim any builder, so that the claim counts
 * only with its signer, which the decision compares.
 */
export function statedBuilder(payload: Buffer): string | null {
  const { predicateType, predicate } = parseJson(payload) ?? {};
  if (!PROVENANCE_TYPES.some((type) => type === predicateType)) return null;
  const holder =
    predicateType === 'https://slsa.dev/provenance/v0.2' ? predicate : fieldOf(predicate, 'runDetails');
  const id = fieldOf(fieldOf(holder, 'builder'), 'id');
  return typeof id === 'string' && id !== '' ? id : null;
}

function fieldOf(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** isBuiltBy tells whether a key signed that a builder built this digest: both as the signed statement says, whatever the entry says of itself. */
export function isBuiltBy({ proof }: ProvenanceEntry, builder: string, digest: Digest, key: string): boolean {
  if (proof === undefined) return false;
  const payload = Buffer.from(proof.payload, 'base64');
  return isSignedWith(proof, payload, key) && saysOf(payload, builder, digest);
}

/** saysSo tells whether the statement that was kept with an entry, where one was, says of this digest what the entry does. */
export function saysSo({ builderId, proof }: ProvenanceEntry, digest: Digest): boolean {
  return proof === undefined || saysOf(Buffer.from(proof.payload, 'base64'), builderId, digest);
}

function saysOf(payload: Buffer, builder: string, digest: Digest): boolean {
  return namesDigest(payload, digest) && statedBuilder(payload) === builder;
}
