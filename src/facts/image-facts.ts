import type { ScanRecord } from '../findings/index.ts';
import type { Digest } from '../base/index.ts';

/**
 * SignedEntry is a fact with its proof. Either `identity` is set: a keyless signature that was verified when the
 * fact was recorded. Or `payload` and `signature` are: bytes that a key of the policy must have signed, as a DSSE
 * envelope where `payloadType` is set, else raw.
 */
export interface SignedEntry {
  readonly identity: string | null;
  readonly issuer: string | null;
  /** Base64, with `signature`. */
  readonly payload: string | null;
  readonly signature: string | null;
  readonly payloadType: string | null;
}

/** SignedAttestation is an in-toto statement about the image. */
export interface SignedAttestation extends SignedEntry {
  readonly predicateType: string;
}

/** VexEntry is a producer's statement that a CVE does or does not concern the image. */
export interface VexEntry extends SignedEntry {
  readonly cve: string;
  readonly status: string;
  /** Package URLs or names of the parts of the image that it is limited to; null or left out for the image as a whole. */
  readonly packages?: readonly string[] | null | undefined;
  /** Parts that it is not about, although `packages` may name them; left out for none. */
  readonly except?: readonly string[] | null | undefined;
}

/** ProvenanceEntry is an SLSA provenance: who built the image, and who signed that. */
export interface ProvenanceEntry {
  readonly builderId: string;
  /** Of a keyless signature that was verified when the fact was recorded. */
  readonly signer: string | null;
  readonly issuer: string | null;
  /** Bytes that a key of the policy must have signed; left out for a keyless one. */
  readonly proof?: KeyProof;
}

/** KeyProof is what a key signed, as a DSSE envelope where `payloadType` is set, else raw. Payload and signature are base64. */
export interface KeyProof {
  readonly payload: string;
  readonly signature: string;
  readonly payloadType: string | null;
}

/**
 * ImageFacts are what is recorded of one digest. A list that is null was never recorded (unknown); an empty one
 * means that there are none. `scan` null means that the image has no scan record.
 */
export interface ImageFacts {
  readonly digest: Digest | null;
  readonly names: readonly string[];
  readonly scan: ScanRecord | null;
  readonly signatures: readonly SignedEntry[] | null;
  readonly attestations: readonly SignedAttestation[] | null;
  readonly provenance: readonly ProvenanceEntry[] | null;
  readonly vex: readonly VexEntry[] | null;
  /** Milliseconds at which the triage decision ends that says that the image holds no packages to scan; left out where there is none. */
  readonly noPackagesUntilMs?: number | undefined;
}

/** hasNoPackages tells whether a triage decision says at a time that an image holds nothing to scan; one that ends exactly then has expired. */
export function hasNoPackages({ noPackagesUntilMs }: ImageFacts, at: number): boolean {
  return noPackagesUntilMs !== undefined && noPackagesUntilMs > at;
}

/** NO_FACTS stands for an image without a digest, or a digest of which nothing was recorded: none of anything. */
export const NO_FACTS: ImageFacts = {
  digest: null,
  names: [],
  scan: null,
  signatures: [],
  attestations: [],
  provenance: [],
  vex: [],
};
