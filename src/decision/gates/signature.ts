import { refuse, unknown, type Gate } from '../gate.ts';
import { isSigned } from '../trusted.ts';

/** signature refuses an image whose digest none of the policy's keys or identities signed. */
export const signature: Gate = (rules, { facts, reference }) => {
  if (!rules.spec.signature.required) return null;
  if (facts.signatures === null) return unknown('signatures');
  return isSigned(rules, facts) ? null : refuse('signature', `signature not verified: ${reference.text}`);
};
