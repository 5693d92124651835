import { canonicalJson, isDigest, sha256Hex, type Digest } from '../base/index.ts';
import { parseReference, type ImageReference } from '../image/index.ts';
import { factsDigest } from './image-facts-document.ts';
import type { ImageFacts } from './image-facts.ts';

/** Subject is one image of one pod with every fact that a decision about it may read. */
export interface Subject {
  readonly reference: ImageReference;
  /** What the reference resolved to, or null. */
  readonly digest: Digest | null;
  readonly facts: ImageFacts;
  /** The signals of the pod; null when they were not recorded, which is judged as no context. */
  readonly signals: readonly string[] | null;
  /** `Service ns/name` or `Ingress ns/name` that exposes the pod, or null. */
  readonly exposedBy: string | null;
  /** The sentence of an exceeded allowance or node ceiling, or null. The meter itself is stored elsewhere. */
  readonly quota: string | null;
  /** The installation's `webhook.coldImagePolicy`, for a policy that does not say its own. */
  readonly coldImagePolicy: 'AllowAndScan' | 'DenyUntilScanned';
  /** The request to bypass: the annotation's reason and the requester's groups, or null. */
  readonly breakGlass: { readonly reason: string; readonly groups: readonly string[] } | null;
}

/** effectiveDigest gives the recorded digest, else the one that the reference names, of whatever algorithm. */
export function effectiveDigest(recorded: Digest | null, reference: ImageReference): Digest | null {
  return recorded ?? reference.digest;
}

/** namedDigest gives the SHA-256 digest that an image reference as written names, or null. */
export function namedDigest(image: string): Digest | null {
  if (!image.includes('@')) return null;
  const reference = parseReference(image);
  if ('fault' in reference) return null;
  const { digest } = reference;
  return digest !== null && isDigest(digest) ? digest : null;
}

/**
 * inputsDigest gives the hex SHA-256 of the facts given to a decision: what a row keeps as `inputs`, so that a
 * later replay can tell changed facts from a defect. The request to bypass is left out: its groups are personal
 * and are not kept. `known` saves hashing the same recorded facts again.
 */
export function inputsDigest(
  subject: Omit<Subject, 'reference' | 'breakGlass'>,
  image: string,
  known: string = factsDigest(subject.facts),
): string {
  return sha256Hex(
    canonicalJson({
      image,
      digest: subject.digest,
      facts: known,
      signals: subject.signals,
      exposed_by: subject.exposedBy,
      quota: subject.quota,
      cold_image_policy: subject.coldImagePolicy,
    }),
  );
}
