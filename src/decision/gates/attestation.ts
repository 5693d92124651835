import { refuse, unknown, type Gate } from '../gate.ts';
import { missingAttestation } from '../trusted.ts';

/** attestation refuses an image that lacks one of the attestations, each signed by one of its signers. */
export const attestation: Gate = (rules, { facts }) => {
  if (rules.spec.attestations.length === 0) return null;
  if (facts.attestations === null) return unknown('attestations');
  const missing = missingAttestation(rules, facts);
  return missing === null ? null : refuse('attestation', `attestation missing: ${missing}`);
};
