import type { Statement } from './statement.ts';

/** IMAGE_SIGNATURE is the predicate type of the statement by which cosign 3 signs an image: an attestation that says no more than that. */
export const IMAGE_SIGNATURE = 'https://sigstore.dev/cosign/sign/v1';

/** isImageSignature tells whether a statement is a signature of its subjects, not a claim about them. */
export function isImageSignature(statement: Statement): boolean {
  return statement.predicateType === IMAGE_SIGNATURE;
}
