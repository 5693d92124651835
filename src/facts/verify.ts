import type { Digest } from '../base/index.ts';
import { acceptsIdentity, acceptsIssuer } from '../policy/index.ts';
import type { VexPackage } from '../vex/index.ts';
import type { SignedAttestation, SignedEntry, VexEntry } from './image-facts.ts';
import { verifyWithKey, type Signer } from './keys.ts';
import { namesDigest, statementPredicateType } from './payload.ts';
import { isCovered, statesVex } from './vex-statements.ts';

/**
 * signatureCounts tells whether an image signature was made by one of the signers and is about this digest. A
 * keyless entry was verified when it was recorded; a keyed one is verified here, against the policy's own keys.
 */
export function signatureCounts(entry: SignedEntry, digest: Digest, signers: readonly Signer[]): boolean {
  return signedBy(entry, signers, (payload) => namesDigest(payload, digest));
}

/**
 * isVerified tells whether a signature of this image was verified at all: a keyless one when it was recorded, by any identity; another one
 * with one of these PEM keys.
 */
export function isVerified(entry: SignedEntry, digest: Digest, keys: readonly string[]): boolean {
  const { identity, issuer } = entry;
  const itself: readonly Signer[] =
    identity === null ? [] : [{ identity, ...(issuer !== null && { issuer }) }];
  return signatureCounts(entry, digest, [...itself, ...keys.map((key) => ({ key }))]);
}

/** artifactCounts tells whether a signature over the bytes of a file was made by one of the signers. */
export function artifactCounts(
  entry: SignedEntry,
  artifact: Uint8Array,
  signers: readonly Signer[],
): boolean {
  return signedBy(entry, signers, (payload) => payload.equals(artifact));
}

/** attestationCounts is the same for an attestation; a signed payload must also state the predicate type. */
export function attestationCounts(
  entry: SignedAttestation,
  digest: Digest,
  predicateType: string,
  signers: readonly Signer[],
): boolean {
  if (entry.predicateType !== predicateType) return false;
  return signedBy(
    entry,
    signers,
    (payload) => namesDigest(payload, digest) && statementPredicateType(payload) === predicateType,
  );
}

/**
 * vexCounts tells whether a trusted `not_affected` or `fixed` statement covers the CVE on this digest: in the package that was found, or in
 * the image as a whole where none is given.
 */
export function vexCounts(
  entry: VexEntry,
  digest: Digest,
  cve: string,
  signers: readonly Signer[],
  found: VexPackage | null = null,
): boolean {
  if (entry.cve !== cve || (entry.status !== 'not_affected' && entry.status !== 'fixed')) return false;
  if (!isCovered(entry.packages ?? null, entry.except, found)) return false;
  return signedBy(entry, signers, (payload) => statesVex(payload, digest, cve, entry.status, found));
}

function signedBy(
  entry: SignedEntry,
  signers: readonly Signer[],
  states: (payload: Buffer) => boolean,
): boolean {
  const { identity, issuer } = entry;
  if (identity !== null) {
    const byIdentity = signers.some(
      (signer) => acceptsIdentity(signer, identity) && acceptsIssuer(signer, issuer),
    );
    // A payload that was kept beside the identity must still be about this image.
    if (byIdentity) return entry.payload === null || states(Buffer.from(entry.payload, 'base64'));
  }
  if (entry.payload === null || entry.signature === null) return false;
  const keys = signers.flatMap((signer) => (signer.key === undefined ? [] : [signer.key]));
  if (keys.length === 0) return false;
  const payload = Buffer.from(entry.payload, 'base64');
  return keys.some((key) => isSignedWith(entry, payload, key)) && states(payload);
}

/** Verifying costs a thousand times a gate, and the revisions of a policy name the same keys: so once per entry and key. */
const verified = new WeakMap<Signed, Map<string, boolean>>();

/** A signature, and the type of the payload where it is of a DSSE envelope. */
type Signed = Pick<SignedEntry, 'signature' | 'payloadType'>;

/** isSignedWith tells whether a signature over a payload was made by a PEM key. */
export function isSignedWith(entry: Signed, payload: Buffer, key: string): boolean {
  let byKey = verified.get(entry);
  if (byKey === undefined) verified.set(entry, (byKey = new Map()));
  let holds = byKey.get(key);
  if (holds === undefined) {
    const signed =
      entry.payloadType === null ? payload : preAuthenticationEncoding(entry.payloadType, payload);
    holds = verifyWithKey(key, signed, Buffer.from(entry.signature ?? '', 'base64'));
    byKey.set(key, holds);
  }
  return holds;
}

/** DSSE v1: the type and the lengths are signed too, so that a payload cannot be read as another type. */
function preAuthenticationEncoding(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType, 'utf8');
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} ${payloadType} ${payload.length} `, 'utf8'),
    payload,
  ]);
}
