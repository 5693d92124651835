import type { Digest } from '../base/index.ts';
import type { ProvenanceEntry, SignedAttestation, SignedEntry } from '../facts/index.ts';
import type { Statement } from './statement.ts';

/**
 * Evidence is one thing that a registry or a file holds as proof about an image: a Sigstore bundle (any version,
 * its JSON as it stands); a layer of cosign's `sha256-<hex>.sig` manifest (the simple-signing payload, with the
 * layer's annotations); or a layer of its `.att` manifest (a DSSE envelope, with the layer's annotations).
 * `manifest` holds the bytes of the image's own manifest, for a bundle that signs them as a message; null where
 * they are not at hand, and then such a bundle is refused.
 */
export type Evidence =
  | { readonly kind: 'bundle'; readonly bundle: Uint8Array; readonly manifest: Uint8Array | null }
  | { readonly kind: 'simple_signing'; readonly payload: Uint8Array; readonly annotations: Annotations }
  | { readonly kind: 'envelope'; readonly envelope: Uint8Array; readonly annotations: Annotations };

/** Annotations are those of a layer: `dev.cosignproject.cosign/signature`, `dev.sigstore.cosign/certificate` and so on. */
export type Annotations = Readonly<Record<string, string>>;

/**
 * REFUSALS says why evidence was looked at and does not count; asking again gives the same answer until the trust
 * root changes. `malformed`: cannot be read. `too_large`: over the bound. `unsupported`: a form that is not
 * verified here. `other_subject`: says nothing of this digest. `certificate`, `log`, `timestamp`, `signature`:
 * that part does not verify. `no_signer`: neither a certificate nor a signature that a key could check.
 */
const REFUSALS = [
  'malformed',
  'too_large',
  'unsupported',
  'other_subject',
  'certificate',
  'log',
  'timestamp',
  'signature',
  'no_signer',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/**
 * UNVERIFIABLES says why evidence could not be looked at now; it may be asked again. `no_trust_root`: none is
 * configured, or none could be fetched. `deadline`: the time was up. `busy`: too many wait. `fault`: the verifier itself failed.
 */
const UNVERIFIABLES = ['no_trust_root', 'deadline', 'busy', 'fault'] as const;
export type Unverifiable = (typeof UNVERIFIABLES)[number];

/**
 * Accepted is evidence about the asked digest. `by` is `identity` when a keyless signature was verified to its root
 * (certificate, log, time, signature), and then `signed` holds one entry with identity and issuer. It is `key` when
 * no certificate came with it: `signed` then holds payload and signature, which prove nothing until a key of a policy
 * verifies them, as the decision does (src/facts). The three lists are what the digest's facts gain from it.
 */
export interface Accepted {
  readonly kind: 'accepted';
  readonly by: 'identity' | 'key';
  readonly signed: readonly SignedEntry[];
  /** The in-toto statement; null for an image signature of the simple-signing or message form. */
  readonly statement: Statement | null;
  /** What was signed: the statement's bytes (`parsePredicate` reads on), the simple-signing document or the manifest. */
  readonly payload: Uint8Array;
  readonly signatures: readonly SignedEntry[];
  readonly attestations: readonly SignedAttestation[];
  /** The builder that a provenance claims, with its signer, or with what a key must have signed. */
  readonly provenance: readonly ProvenanceEntry[];
}

/** NotAccepted is a stated reason, never a guess; `message` is a clause for people that holds no secret. */
export type NotAccepted =
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly message: string }
  | { readonly kind: 'unverifiable'; readonly reason: Unverifiable; readonly message: string };

/** Verification is what became of one piece of evidence. */
export type Verification = Accepted | NotAccepted;

/** VerifiedArtifact is a file with a bundle beside it; `by` and `signed` are as in Accepted. */
export interface VerifiedArtifact {
  readonly kind: 'accepted';
  readonly by: 'identity' | 'key';
  readonly signed: readonly SignedEntry[];
  /** Null where the artifact itself was signed, else the statement of an envelope that names the artifact's SHA-256. */
  readonly statement: Statement | null;
}

/**
 * EvidenceVerifier verifies offline, with the trust root that it holds or gets. Neither call throws for hostile
 * input, and neither outlives its deadline (90 seconds at most) or `signal`, whichever is sooner.
 */
export interface EvidenceVerifier {
  verify(digest: Digest, evidence: Evidence, signal?: AbortSignal): Promise<Verification>;
  /** verifyArtifact verifies a detached bundle over the bytes of a file, as a VEX document from a configured source. */
  verifyArtifact(
    artifact: Uint8Array,
    bundle: Uint8Array,
    signal?: AbortSignal,
  ): Promise<VerifiedArtifact | NotAccepted>;
}
