import type { Descriptor, ImageManifest } from '../image/index.ts';

/** PROOF_LISTS are the lists of facts that are collected. */
export const PROOF_LISTS = ['signatures', 'attestations', 'provenance', 'vex'] as const;

/** ProofList is one of them. */
export type ProofList = (typeof PROOF_LISTS)[number];

/** MAX_EVIDENCE is how many pieces of evidence are looked at for one digest in one repository; anyone who can push can add to them. */
export const MAX_EVIDENCE = 200;

/** MAX_EVIDENCE_BYTES bound one of them, as the verifier does: attested bills of materials are the large ones. */
export const MAX_EVIDENCE_BYTES = 8 * 1024 * 1024;

/** MAX_TOTAL_BYTES bound all of them, of one digest in all its repositories, which share it evenly. */
export const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';
const ENVELOPE = 'application/vnd.dsse.envelope.v1+json';
/** `application/vnd.dev.sigstore.bundle.v0.3+json`, and as early versions wrote it, `…bundle+json;version=0.1`. */
const BUNDLE = /^application\/vnd\.dev\.sigstore\.bundle(?:\.v[0-9]+(?:\.[0-9]+)*)?\+json(?:\s*;.*)?$/i;
/** What cosign attaches by referrers in the older layout. */
const COSIGN_ARTIFACT = /^application\/vnd\.dev\.cosign\.artifact\.(?:sig|att)\.v[0-9]+\+json$/i;

/** What does not say what it is: cosign's fallback index and some registries give the type of the configuration instead. */
const SAYS_NOTHING =
  /^application\/vnd\.(?:oci\.empty|oci\.image\.config|docker\.container\.image|unknown\.config)\.v1\+json$/i;

/** PlannedLayer is one layer to read and verify, of which the lists of facts that depend on it are known. */
export interface PlannedLayer {
  readonly kind: 'bundle' | 'simple_signing' | 'envelope';
  readonly layer: Descriptor;
  readonly lists: readonly ProofList[];
}

/** planReferrers gives which referrers can hold a proof. What another kind of artifact is attached (a bill of materials, a scan) is left. */
export function planReferrers(descriptors: readonly Descriptor[]): readonly Descriptor[] {
  const found = descriptors.filter(({ artifactType, mediaType }) => {
    if (/index|manifest\.list/.test(mediaType)) return false;
    return (
      artifactType === null ||
      [SAYS_NOTHING, BUNDLE, COSIGN_ARTIFACT].some((known) => known.test(artifactType))
    );
  });
  return [...new Map(found.map((descriptor) => [descriptor.digest, descriptor])).values()];
}

/** planLayers gives the layers of an attached manifest that hold a proof, told by their own type, whatever the manifest says of itself. */
export function planLayers({ layers }: Pick<ImageManifest, 'layers'>): readonly PlannedLayer[] {
  return layers.flatMap((layer): PlannedLayer[] => {
    const { mediaType } = layer;
    if (BUNDLE.test(mediaType)) return [{ kind: 'bundle', layer, lists: PROOF_LISTS }];
    if (mediaType === SIMPLE_SIGNING) return [{ kind: 'simple_signing', layer, lists: ['signatures'] }];
    if (mediaType === ENVELOPE)
      return [{ kind: 'envelope', layer, lists: ['attestations', 'provenance', 'vex'] }];
    return [];
  });
}
